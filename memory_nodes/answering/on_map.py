"""Where all that is known is of another map than the robot is on, an answer says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory_nodes.records import Answer, RetrievedKeyframe

ON_ANOTHER_MAP = "On another map: "
"""It begins the answer: of a long one only the first sentence is spoken."""


def is_elsewhere(hits: Sequence[RetrievedKeyframe], map_id: str) -> bool:
    """Whether there are keyframes, and all of them are of other maps."""
    return bool(hits) and all(hit.keyframe.map_id != map_id for hit in hits)


def with_map(answer: Answer, map_id: str) -> Answer:
    """The answer, which begins with a word on the map where it is of another one."""
    if not answer.found or not is_elsewhere(answer.keyframes, map_id):
        return answer
    return replace(answer, text=f"{ON_ANOTHER_MAP}{answer.text}")
