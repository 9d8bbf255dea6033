"""What an examination of a memory finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Severity: TypeAlias = Literal["ok", "warn", "error"]
"""Good to know; works, but not as it should; something is lost or wrong."""


@dataclass(frozen=True)
class Finding:
    """One fault or fact. The message says what is there and what to do about it."""

    code: str
    severity: Severity
    message: str
    is_repairable: bool = False
    """By doctor.repair."""
