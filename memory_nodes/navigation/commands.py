"""Utterances that ask to be taken somewhere."""

from __future__ import annotations

import re

_POLITE = (
    r"^\s*(?:(?:please|robot|hey|ok|okay|now|(?:can|could|would|will)\s+you"
    r"|i\s+(?:want|would\s+like)\s+you\s+to)\b[\s,]*)*"
)
_COMMAND = re.compile(
    _POLITE + r"(?:(?:take|bring|lead|guide|drive|show)\s+(?:me|us)\s+(?:to\s+)?|"
    r"(?:go|drive|move|navigate|come)\s+(?:back\s+)?to\s+)"
    r"(?P<target>.+)$",
    re.IGNORECASE,
)

_GOING = re.compile(
    _POLITE + r"(?:(?:take|bring|lead|guide|drive)\s+(?:me|us)\s+to"
    r"|(?:go|drive|move|navigate|come)\s+(?:back\s+)?to)\s+\w",
    re.IGNORECASE,
)
_CALLING = (
    r"\s*(?:(?:please|robot|hey|hello|ok|okay|now|no|oh|um|uh|just|and"
    r"|(?:can|could|would|will)\s+you)\b[\s,.!]*)*"
)
_STOP = re.compile(
    _CALLING + r"(?:stop|halt|cancel|stay|wait|abort|freeze|hold\s+(?:on|it|still)"
    r"|(?:don['\u2019]t|do\s+not)\s+move)\b",
    re.IGNORECASE,
)
_STOP_ALONE = re.compile(
    _CALLING + r"(?:stop|halt|cancel|abort|freeze)(?:\s+(?:now|it|that|please|robot))*\s*",
    re.IGNORECASE,
)
_ENDS = " \t\n.,;:!?"


def is_stop(utterance: str) -> bool:
    """Whether an utterance asks the robot to stop, with its first words or its last ones, "...,
    no, stop!"; rather once too often than too seldom.
    """
    last = re.split(r"[.,;:!?]+", utterance.rstrip(_ENDS))[-1]
    return _STOP.match(utterance) is not None or _STOP_ALONE.fullmatch(last) is not None


def asks_to_go(utterance: str) -> bool:
    """Whether what was said where questions are asked is a command all the same: 'drive to the
    kitchen', and not 'show me the mug' or 'how do I go to the kitchen?'.
    """
    return _GOING.match(utterance) is not None


def target_of(utterance: str) -> str | None:
    """What an utterance asks to be taken to; None when it asks for nothing of the kind."""
    found = _COMMAND.match(utterance.strip())
    target = found["target"].rstrip(_ENDS) if found else ""
    return target or None
