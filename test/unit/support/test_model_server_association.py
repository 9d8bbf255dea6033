"""Identities told by the stand-in, held against the annotation."""

from __future__ import annotations

from typing import Any

import pytest

from memory_test_support.model_server.association import Associator, views_on_tour
from memory_test_support.model_server.errors import BadRequestError
from memory_test_support.model_server.options import ServerOptions
from memory_test_support.tour import load_tour, load_truth


def _entries(frame: int, prefix: str, offset_ns: int = 0) -> list[dict[str, Any]]:
    """All objects of a frame under names that tell nothing but are easy to check."""
    stamp_ns = load_tour().frames[frame].stamp_ns + offset_ns
    return [
        {
            "id": f"{prefix}{view.instance_id}",
            "type": "thing",
            "description": "",
            "view": {"stamp_ns": stamp_ns, "box_px": list(view.box_px)},
        }
        for view in load_truth().views[frame]
    ]


def _mapping(options: ServerOptions, payload: dict[str, Any]) -> dict[str, str | None]:
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


def test_view_may_be_a_list_and_slightly_off() -> None:
    entry = _entries(30, "k")[0]
    x0, y0, x1, y1 = entry["view"]["box_px"]
    loose = {**entry, "id": "l", "views": [{**entry["view"], "box_px": [x0 - 1, y0, x1 + 1, y1]}]}
    del loose["view"]
    assert _mapping(ServerOptions(), {"known": [entry], "chunk": [loose]}) == {"l": entry["id"]}


def test_a_box_over_nothing_annotated_or_at_a_foreign_time_is_new() -> None:
    known = _entries(30, "k")
    nowhere = {"id": "a", "view": {"stamp_ns": load_tour().frames[30].stamp_ns, "box_px": [0] * 4}}
    never = {**known[0], "id": "b", "view": {**known[0]["view"], "stamp_ns": 999 * 10**9}}
    mapping = _mapping(ServerOptions(), {"known": known, "chunk": [nowhere, never]})
    assert mapping == {"a": None, "b": None}


def test_stamps_may_be_shifted_by_the_declared_offset() -> None:
    payload = {"known": _entries(4, "k", 10**12), "chunk": _entries(45, "l", 10**12)}
    assert set(_mapping(ServerOptions(), payload).values()) == {None}
    shifted = _mapping(ServerOptions(stamp_offset_s=1000.0), payload)
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
        {"known": [], "chunk": [{"id": "a", "view": {"stamp_ns": 1}}]},
        {"known": [], "chunk": [{"id": "a", "view": {"stamp_ns": 1, "box_px": [1, 2]}}]},
    ],
)
def test_malformed_request_is_refused(payload: dict[str, Any]) -> None:
    with pytest.raises(BadRequestError):
        _mapping(ServerOptions(), payload)
