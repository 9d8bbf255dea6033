"""Replies with real defects, each with the result that a careful robot engineer would want.

test/data/vlm_reply_cases.README.md has the rules. REPLY_CASES names another file to try.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from memory_nodes.association.reply import read_mapping
from memory_nodes.errors import ReplyError
from memory_nodes.models.ports import Reply
from memory_nodes.perception.reply import Detections, read_frames
from memory_nodes.records import Box, Keyframe, ObjectDescriptor
from memory_test_support.child import PROJECT
from memory_test_support.records import keyframe

Case = dict[str, Any]

OWN_CASES = PROJECT / "test" / "data" / "vlm_reply_cases.jsonl"
CASES: list[Case] = [
    json.loads(line)
    for line in Path(os.environ.get("REPLY_CASES", OWN_CASES)).read_text("utf-8").splitlines()
    if line.strip()
]
TOLERANCE_PX = 0.5
ONLY_FRAME = 0


def _reply(case: Case) -> Reply:
    repeat = case.get("raw_repeat")
    text = case["raw"]
    if repeat:
        text = repeat["prefix"] + repeat["unit"] * repeat["count"] + repeat["suffix"]
    return Reply(
        text=text or "",
        is_complete=case["finish_reason"] not in ("length", "content_filter"),
        is_withheld=case["finish_reason"] == "content_filter",
    )


def _keyframes(case: Case) -> dict[int, Keyframe]:
    """Keyframe ids differ from frame numbers, so that neither can stand for the other."""
    return {
        number: keyframe(1000 + number, size_px=(case["image_width"], case["image_height"]))
        for number in case.get("frames", [ONLY_FRAME])
    }


def _box(box: Box) -> list[float]:
    return [box.x0_px, box.y0_px, box.x1_px, box.y1_px]


def _codes(found: Detections) -> set[str]:
    return {problem.partition(":")[0] for problem in found.problems}


def _detection(found: Detections) -> dict[str, Any]:
    return {
        "objects": [
            {"label": item.type, "bbox_px": _box(item.views[0].box) if item.views else None}
            for item in found.objects
        ],
        "complete": found.is_complete,
        "dropped": found.dropped,
    }


def _chunk_object(item: ObjectDescriptor) -> dict[str, Any]:
    attributes: dict[str, Any] = dict(item.attributes)
    if item.affordances:
        attributes["affordances"] = list(item.affordances)
    return {
        "id": item.object_id,
        "type": item.type,
        "description": item.description,
        "attributes": attributes,
        "views": [
            {"frame": view.keyframe_id - 1000, "bbox_px": _box(view.box)} for view in item.views
        ],
    }


def _chunk(found: Detections) -> dict[str, Any]:
    relations = [
        {
            "subject": item.subject_id,
            "predicate": item.predicate,
            "object": item.object_id,
            "frames": [keyframe_id - 1000 for keyframe_id in item.keyframe_ids],
        }
        for item in found.relations
    ]
    return {
        "objects": [_chunk_object(item) for item in found.objects],
        "relations": relations,
        "complete": found.is_complete,
        "dropped": found.dropped,
        "dropped_views": found.dropped_views,
        "dropped_relations": found.dropped_relations,
        "problems": _codes(found),
    }


def _read(case: Case) -> dict[str, Any]:
    reply = _reply(case)
    if case["kind"] == "association":
        local, known = case["local_ids"], case["known_global"]
        mapping = read_mapping(reply, local, known, lambda one, other: local[one] != known[other])
        unresolved = set(case["local_ids"]) - set(mapping.known_by_local)
        return {
            "mapping": mapping.known_by_local,
            "unresolved": unresolved,
            "problems": set(mapping.problems),
        }
    try:
        found = read_frames(reply, _keyframes(case), case["bbox_format"])
    except ReplyError as error:
        return {"error": error.code}
    return _detection(found) if case["kind"] == "detection" else _chunk(found)


def _wanted(case: Case, expected: dict[str, Any]) -> dict[str, Any]:
    """An expected result in the form of a read one: sets, and what may be left out filled in."""
    wanted = {
        key: set(value) if key in ("problems", "unresolved") else value
        for key, value in expected.items()
    }
    if case["kind"] == "chunk" and "objects" in wanted:
        defaults = {"description": "", "attributes": {}}
        wanted["objects"] = [
            {**defaults, **item, "views": sorted(item["views"], key=lambda view: view["frame"])}
            for item in wanted["objects"]
        ]
    return wanted


def _differences(found: Any, wanted: Any, case: Case, path: str = "") -> list[str]:
    """Where two results differ; numbers of boxes may by half a pixel."""
    if path.endswith(".label") and found in case.get("label_alternatives", {}).get(wanted, ()):
        return []
    if path.endswith(".id") and wanted is None:
        return []
    if isinstance(wanted, float) and isinstance(found, float):
        return [] if abs(found - wanted) <= TOLERANCE_PX else [f"{path}: {found} not {wanted}"]
    if isinstance(wanted, dict) and isinstance(found, dict) and set(found) == set(wanted):
        pairs = [(f"{path}.{key}", found[key], wanted[key]) for key in wanted]
    elif isinstance(wanted, list) and isinstance(found, list) and len(found) == len(wanted):
        pairs = [
            (f"{path}[{index}]", one, other)
            for index, (one, other) in enumerate(zip(found, wanted, strict=True))
        ]
    else:
        return [] if found == wanted else [f"{path}: {found!r} not {wanted!r}"]
    return [line for where, one, other in pairs for line in _differences(one, other, case, where)]


def test_there_are_cases_of_every_kind() -> None:
    assert {case["kind"] for case in CASES} <= {"detection", "chunk", "association"}
    assert CASES


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_reply_comes_out_right(case: Case) -> None:
    found = _read(case)
    wanted = [_wanted(case, result) for result in (case["expected"], *case.get("also_ok", ()))]
    differences = [_differences(found, result, case) for result in wanted]
    assert any(not lines for lines in differences), "\n".join(differences[0])
    ids = [item["id"] for item in found.get("objects", ()) if "id" in item]
    assert len(set(ids)) == len(ids)
