"""Utterances that ask to be taken somewhere."""

from __future__ import annotations

import re

_COMMAND = re.compile(
    r"^\s*(?:please\s+|robot[, ]+)*"
    r"(?:(?:take|bring|lead|guide|drive|show)\s+(?:me|us)\s+(?:to\s+)?|"
    r"(?:go|drive|move|navigate|come)\s+(?:back\s+)?to\s+)"
    r"(?P<target>.+?)\s*[.!?]*\s*$",
    re.IGNORECASE,
)

_STOP = re.compile(
    r"^\s*(?:please\s+|robot[, ]+|no[, ]+)*(?:stop|halt|cancel|stay|wait|abort)\b", re.IGNORECASE
)


def is_stop(utterance: str) -> bool:
    """Whether an utterance asks the robot to stop; rather once too often than too seldom."""
    return _STOP.match(utterance) is not None


def target_of(utterance: str) -> str | None:
    """What an utterance asks to be taken to; None when it asks for nothing of the kind."""
    found = _COMMAND.match(utterance)
    return found["target"] if found else None
