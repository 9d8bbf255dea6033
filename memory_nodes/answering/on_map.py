"""Where an answer is of another map than the robot is on, it says so."""

from __future__ import annotations

from dataclasses import replace

from memory_nodes.records import Answer

ON_ANOTHER_MAP = "I have seen that on another map."


def with_map(answer: Answer, map_id: str) -> Answer:
    """The answer, with a word on the map where all of its keyframes are of another one."""
    is_here = any(hit.keyframe.map_id == map_id for hit in answer.keyframes)
    if not answer.found or not answer.keyframes or is_here:
        return answer
    return replace(answer, text=f"{answer.text} {ON_ANOTHER_MAP}")
