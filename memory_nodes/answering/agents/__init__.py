"""Agents: a model that looks through the memory itself, step by step, until it can answer."""
