"""Prompts lie in files of their own, so that their versions can be told apart and read."""

from __future__ import annotations

from importlib.resources import files


def prompt_text(package: str | None, version: str) -> str:
    """The text of a stage's prompt, from ``prompts/<version>.txt`` beside its code."""
    assert package is not None
    return (files(package) / "prompts" / f"{version}.txt").read_text("utf-8")
