"""`./dev bench NAME [--json FILE]`: runs one benchmark and prints its figures."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from benchmark import pipeline, tour

BENCHMARKS = {"pipeline": pipeline, "tour": tour}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="./dev bench",
        usage="./dev bench NAME [--json FILE]",
        description="Runs one benchmark and prints its figures.",
        epilog="\n".join(f"{name}: {_question(name)}" for name in sorted(BENCHMARKS)),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", metavar="NAME", nargs="?", choices=sorted(BENCHMARKS))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    arguments = parser.parse_args()
    if arguments.name is None:
        parser.exit(2, f"bench: name one of {', '.join(sorted(BENCHMARKS))}: ./dev bench NAME\n")
    figures = BENCHMARKS[arguments.name].run()
    text = json.dumps(figures, indent=2)
    print(text)
    if arguments.json is not None:
        arguments.json.write_text(text + "\n", encoding="utf-8")


def _question(name: str) -> str:
    """What a benchmark asks: the first line of its docstring."""
    return (BENCHMARKS[name].__doc__ or "").splitlines()[0]


if __name__ == "__main__":
    main()
