"""Benchmarks: `./dev bench NAME --json FILE`."""
