"""Identities told by the stand-in, held against the annotation."""

from __future__ import annotations

from typing import Any

import pytest

from memory_nodes.records import NS_PER_S
from memory_test_support.model_server.association import Associator, views_on_tour
from memory_test_support.model_server.errors import BadRequestError
from memory_test_support.model_server.options import ServerOptions
from memory_test_support.tour import load_tour, load_truth


def _entries(frame: int, prefix: str) -> list[dict[str, Any]]:
    """All objects of a frame under names that tell nothing but are easy to check."""
    return [
        {
            "id": f"{prefix}{view.instance_id}",
            "type": "thing",
            "description": "",
            "frame": frame,
            "box_px": " ".join(map(str, view.box_px)),
        }
        for view in load_truth().views[frame]
    ]


def _times(offset_ns: int = 0) -> dict[str, Any]:
    """Of all frames of the tour, and of one that is not of it."""
    frames = load_tour().frames
    end_ns = frames[-1].stamp_ns + offset_ns
    ages_s = {str(f.index): round((frames[-1].stamp_ns - f.stamp_ns) / NS_PER_S, 3) for f in frames}
    return {"end_ns": end_ns, "frames": {**ages_s, "999": -1000.0}}


def _mapping(
    options: ServerOptions, payload: dict[str, Any], offset_ns: int = 0
) -> dict[str, str | None]:
    payload = {**_times(offset_ns), **payload}
    views_at = views_on_tour(load_tour(), load_truth(), options.stamp_offset_s)
    reply = Associator(views_at, options).reply(payload)
    return {pair["local_id"]: pair["known_id"] for pair in reply["mapping"]}


def test_true_boxes_are_mapped_to_the_same_instance_or_to_none() -> None:
    right = total = 0
    for known_frame, chunk_frame in [(4, 45), (9, 16), (29, 63), (12, 73), (3, 37)]:
        known, chunk = _entries(known_frame, "known "), _entries(chunk_frame, "local ")
        mapping = _mapping(ServerOptions(), {"known": known, "chunk": chunk})
        seen_before = {view.instance_id for view in load_truth().views[known_frame]}
        for view in load_truth().views[chunk_frame]:
            known_id = f"known {view.instance_id}" if view.instance_id in seen_before else None
            right += mapping[f"local {view.instance_id}"] == known_id
            total += 1
    assert right == total > 60


def test_box_may_be_slightly_off() -> None:
    entry = _entries(30, "k")[0]
    x0, y0, x1, y1 = map(float, entry["box_px"].split())
    loose = {**entry, "id": "l", "box_px": f"{x0 - 1} {y0} {x1 + 1} {y1}"}
    assert _mapping(ServerOptions(), {"known": [entry], "chunk": [loose]}) == {"l": entry["id"]}


def test_a_box_over_nothing_annotated_or_at_a_foreign_time_is_new() -> None:
    known = _entries(30, "k")
    nowhere = {"id": "a", "frame": 30, "box_px": "0 0 0 0"}
    never = {**known[0], "id": "b", "frame": 999}
    unseen = {"id": "c"}
    mapping = _mapping(ServerOptions(), {"known": known, "chunk": [nowhere, never, unseen]})
    assert mapping == {"a": None, "b": None, "c": None}


def test_stamps_may_be_shifted_by_the_declared_offset() -> None:
    payload = {"known": _entries(4, "k"), "chunk": _entries(45, "l")}
    assert set(_mapping(ServerOptions(), payload, 10**12).values()) == {None}
    shifted = _mapping(ServerOptions(stamp_offset_s=1000.0), payload, 10**12)
    assert shifted["lsofa_1"] == "ksofa_1"


def test_error_rate_spoils_about_that_share_and_always_the_same() -> None:
    options = ServerOptions(association_error_rate=0.3, seed=5)
    wrong = total = 0
    for frame in range(0, 75, 3):
        payload = {"known": _entries(frame, ""), "chunk": _entries(frame, "")}
        mapping = _mapping(options, payload)
        assert mapping == _mapping(options, payload)
        wrong += sum(local_id != known_id for local_id, known_id in mapping.items())
        total += len(mapping)
    assert 0.2 < wrong / total < 0.4


@pytest.mark.parametrize(
    "payload",
    [
        {"known": []},
        {"known": [], "chunk": [{"type": "no id"}]},
        {"known": [], "chunk": [], "frames": [1]},
        {"known": [], "chunk": [{"id": "a", "frame": 1}]},
        {"known": [], "chunk": [{"id": "a", "frame": 1, "box_px": "1 2"}]},
        {"known": [], "chunk": [{"id": "a", "frame": -1, "box_px": "1 2 3 4"}]},
    ],
)
def test_malformed_request_is_refused(payload: dict[str, Any]) -> None:
    with pytest.raises(BadRequestError):
        _mapping(ServerOptions(), payload)
