"""Defects of replies about several frames; expected values follow by hand from the rules.

Three images of 640 x 480 px are sent as frames 4, 5 and 6 unless a test says otherwise.
"""

from __future__ import annotations

from typing import Any

import pytest

from memory_nodes.errors import ReplyError
from memory_nodes.models.ports import Reply
from memory_nodes.perception.reply import Detections, read_frames
from memory_test_support.records import keyframe

BOX = "[10, 20, 30, 40]"
MUG = f'{{"id": "mug_1", "type": "mug", "views": [{{"frame": 4, "bbox": {BOX}}}]}}'
RUG = f'{{"id": "rug_1", "type": "rug", "views": [{{"frame": 5, "bbox": {BOX}}}]}}'
ON = '{"subject": "mug_1", "predicate": "on", "object": "rug_1", "frames": [5]}'


def _read(raw: str, frames: tuple[int, ...] = (4, 5, 6), *, is_complete: bool = True) -> Detections:
    by_number = {number: keyframe(100 + number) for number in frames}
    return read_frames(Reply(raw, is_complete), by_number, "xyxy_pixels")


def _shown(found: Detections) -> dict[str, list[int]]:
    """The frames of each object."""
    return {
        item.object_id: [view.keyframe_id - 100 for view in item.views] for item in found.objects
    }


def _links(found: Detections) -> list[tuple[str, str, str, list[int]]]:
    return [
        (item.subject_id, item.predicate, item.object_id, [key - 100 for key in item.keyframe_ids])
        for item in found.relations
    ]


def _codes(found: Detections) -> set[str]:
    return {problem.partition(":")[0] for problem in found.problems}


def _views(views: str) -> str:
    return f'{{"objects": [{{"id": "mug_1", "type": "mug", "views": {views}}}, {RUG}]}}'


@pytest.mark.parametrize(
    "views",
    [
        f'[{{"frame": 4, "bbox": {BOX}}}, {{"frame": 6, "bbox": {BOX}}}]',
        f'[{{"frame": "4", "bbox": {BOX}}}, {{"frame": " 6 ", "bbox": {BOX}}}]',
        f'[{{"frame": 4.0, "bbox": {BOX}}}, {{"frame": "frame 6", "bbox": {BOX}}}]',
        f'[{{"frame": 6, "bbox": {BOX}}}, {{"frame": 4, "bbox": {BOX}}}]',
        f'[{{"frame_index": 4, "bbox_2d": {BOX}}}, {{"image": 6, "box": {BOX}}}]',
        f'{{"4": {BOX}, "6": {BOX}}}',
        f"{{4: {BOX}, 6: {BOX}}}",
        f'{{"frame_4": {BOX}, "frame_6": {{"bbox": {BOX}}}}}',
        f"[[4, {BOX}], [6, {BOX}]]",
        f'[{{"frame": 4, "x1": 10, "y1": 20, "x2": 30, "y2": 40}}, {{"frame": 6, "bbox": {BOX}}}]',
        f'[{{"frame": 4, "bbox": {BOX},}}, {{"frame": 6, "bbox": {BOX}}},]',
        f'[{{"frame": 4, "bbox": {BOX}}}, {{"frame": 6, "bbox": {BOX}}}, '
        f'{{"frame": 6, "bbox": {BOX}}}]',
    ],
)
def test_views_are_read_in_every_form(views: str) -> None:
    found = _read(_views(views))
    assert _shown(found) == {"mug_1": [4, 6], "rug_1": [5]}
    assert (found.dropped_views, found.problems) == (0, [])


@pytest.mark.parametrize(
    ("view", "code"),
    [
        (f'{{"frame": 7, "bbox": {BOX}}}', "unknown_frame"),
        (f'{{"frame": -4, "bbox": {BOX}}}', "unknown_frame"),
        (f'{{"frame": 4.5, "bbox": {BOX}}}', "unknown_frame"),
        (f'{{"frame": null, "bbox": {BOX}}}', "unknown_frame"),
        (f'{{"bbox": {BOX}}}', "unknown_frame"),
        ('{"frame": 6, "bbox": [30, 20, 10, 40]}', "impossible_box"),
        ('{"frame": 6, "bbox": [30, 20]}', "impossible_box"),
        ('{"frame": 6, "bbox": null}', "impossible_box"),
        ('{"frame": 6}', "impossible_box"),
        (f'{{"frame": 6, "bbox": [{BOX}, [50, 60, 70, 80]]}}', "impossible_box"),
    ],
)
def test_bad_view_goes_alone(view: str, code: str) -> None:
    found = _read(_views(f'[{{"frame": 4, "bbox": {BOX}}}, {view}]'))
    assert _shown(found) == {"mug_1": [4], "rug_1": [5]}
    assert (found.dropped, found.dropped_views, _codes(found)) == (0, 1, {code})


def test_object_that_loses_all_views_goes_with_its_relations() -> None:
    mug = MUG.replace("4", "9")
    found = _read(f'{{"objects": [{mug}, {RUG}], "relations": [{ON}]}}')
    assert (_shown(found), found.relations) == ({"rug_1": [5]}, [])
    assert (found.dropped, found.dropped_views, found.dropped_relations) == (1, 1, 1)
    assert _codes(found) == {"unknown_frame"}


@pytest.mark.parametrize("views", ["[]", "null", "{}"])
def test_object_without_a_view_stays_unplaced(views: str) -> None:
    found = _read(_views(views))
    assert _shown(found) == {"mug_1": [], "rug_1": [5]}
    assert (found.dropped, found.dropped_views, _codes(found)) == (0, 0, {"no_view"})


@pytest.mark.parametrize(
    ("frames", "used", "shown"),
    [
        ((0, 1, 2), (1, 3), [0, 2]),
        ((0, 1, 2), (1, 2), [1, 2]),
        ((0, 1, 2), (0, 3), [0]),
        ((1, 2, 3), (1, 3), [1, 3]),
        ((7, 8, 9), (1, 2, 3), [7, 8, 9]),
        ((7, 8, 9), (3,), [9]),
        ((7, 8, 9), (3, 8), [8]),
        ((7, 8, 9), (3, 4, 9), [9]),
        ((2, 3), (1, 2), [2, 3]),
        ((5,), (1,), [5]),
        ((10, 20, 30), ("1", "3"), [10, 30]),
    ],
)
def test_frames_are_counted_from_one_only_where_nothing_else_fits(
    frames: tuple[int, ...], used: tuple[Any, ...], shown: list[int]
) -> None:
    views = ", ".join(f'{{"frame": "{number}", "bbox": {BOX}}}' for number in used)
    found = _read(f'[{{"id": "mug_1", "type": "mug", "views": [{views}]}}]', frames)
    assert _shown(found) == {"mug_1": shown}
    is_renumbered = set(shown) != set(map(int, used)) & set(frames)
    assert ("frames_one_based" in _codes(found)) == is_renumbered


def test_frames_of_relations_are_counted_like_those_of_views() -> None:
    mug, rug = MUG.replace('frame": 4', 'frame": 1'), RUG.replace('frame": 5', 'frame": 1')
    relation = ON.replace("[5]", "[1, 3]")
    found = _read(f'{{"objects": [{mug}, {rug}], "relations": [{relation}]}}')
    assert _shown(found) == {"mug_1": [4], "rug_1": [4]}
    assert _links(found) == [("mug_1", "on", "rug_1", [4, 6])]


@pytest.mark.parametrize(
    "relation",
    [
        ON,
        ON.replace("[5]", "5"),
        ON.replace("[5]", '["5"]'),
        ON.replace("mug_1", " mug 1 "),
        ON.replace("subject", "source").replace('"object"', '"target"'),
        '["mug_1", "on", "rug_1", [5]]',
        f"{ON}, {ON}",
    ],
)
def test_relation_is_read_in_every_form(relation: str) -> None:
    found = _read(f'{{"objects": [{MUG}, {RUG}], "relations": [{relation}]}}')
    assert _links(found) == [("mug_1", "on", "rug_1", [5])]
    assert (found.dropped_relations, found.problems) == (0, [])


@pytest.mark.parametrize(
    ("relation", "code"),
    [
        (ON.replace("rug_1", "desk_1"), "relation_unlisted_id"),
        (ON.replace("mug_1", "Mug_1"), "relation_unlisted_id"),
        (ON.replace("[5]", "[9]"), "unknown_frame"),
        (ON.replace("[5]", "[]"), "relation_without_frame"),
        (ON.replace("on", ""), "relation_says_nothing"),
        (ON.replace("rug_1", "mug_1"), "relation_says_nothing"),
        ('"the mug is on the rug"', "relation_says_nothing"),
        ("7", "relation_says_nothing"),
    ],
)
def test_bad_relation_goes_alone(relation: str, code: str) -> None:
    found = _read(f'{{"objects": [{MUG}, {RUG}], "relations": [{relation}, {ON}]}}')
    assert _links(found) == [("mug_1", "on", "rug_1", [5])]
    assert (found.dropped_relations, _codes(found)) == (1, {code})


def test_unknown_frame_of_a_relation_goes_alone() -> None:
    relation = ON.replace("[5]", "[5, 9]")
    found = _read(f'{{"objects": [{MUG}, {RUG}], "relations": [{relation}]}}')
    assert _links(found) == [("mug_1", "on", "rug_1", [5])]
    assert (found.dropped_relations, _codes(found)) == (0, {"unknown_frame"})


def test_id_of_two_types_names_two_objects_and_no_end_of_a_relation() -> None:
    other = RUG.replace("rug_1", "mug_1")
    other = other.replace('"rug"', '"jar"')
    found = _read(f'{{"objects": [{MUG}, {other}, {RUG}], "relations": [{ON}]}}')
    assert _shown(found) == {"mug_1": [4], "mug_2": [5], "rug_1": [5]}
    assert (found.dropped_relations, _codes(found)) == (1, {"duplicate_id"})


def test_fresh_id_is_never_one_that_comes_later() -> None:
    box = MUG.replace('"type": "mug"', '"type": "box"')
    later = MUG.replace("mug_1", "mug_2").replace("4", "6")
    assert set(_shown(_read(f"[{MUG}, {box}, {later}]"))) == {"mug_1", "mug_2", "mug_3"}


def test_object_without_an_id_gets_one() -> None:
    nameless = f'{{"type": "desk fan", "views": [{{"frame": 4, "bbox": {BOX}}}]}}'
    other = nameless.replace("4", "6")
    assert _shown(_read(f"[{nameless}, {other}]")) == {"desk_fan": [4], "desk_fan_1": [6]}


@pytest.mark.parametrize(
    "raw",
    [
        f"[{MUG}, {RUG}]",
        f"{MUG}\n{RUG}",
        f'{{"chunk": 3, "objects": [{MUG}, {RUG}]}}',
        f'```json\n{{"objects": [{MUG}, {RUG}], "relations": []}}\n```',
        f'{{"objects": [{MUG}, {RUG}],}}',
        '{"objects": {"mug_1": {"type": "mug", "views": {"4": [10, 20, 30, 40]}}, '
        '"rug_1": {"type": "rug", "views": {"5": [10, 20, 30, 40]}}}}',
        '[{"id": "mug_1", "type": "mug", "frame": 4, "bbox": [10, 20, 30, 40]}, '
        '{"id": "rug_1", "type": "rug", "frame": 5, "bbox": [10, 20, 30, 40]}]',
        f"[{MUG}, {MUG}, {RUG}, {RUG}]",
    ],
)
def test_objects_are_found_in_every_wrapping(raw: str) -> None:
    found = _read(raw)
    assert _shown(found) == {"mug_1": [4], "rug_1": [5]}
    assert (found.is_complete, found.dropped, found.problems) == (True, 0, [])


@pytest.mark.parametrize(
    ("raw", "shown", "links"),
    [
        (f'{{"objects": [{MUG}, {RUG[:-5]}', {"mug_1": [4]}, 0),
        (f'{{"objects": [{MUG}, {RUG[:-2]}', {"mug_1": [4]}, 0),
        (
            f'{{"objects": [{MUG}, {RUG}], "relations": [{ON}, {ON[:-6]}',
            {"mug_1": [4], "rug_1": [5]},
            1,
        ),
        (f'{{"objects": [{MUG}, {RUG}], "relations": [{ON}]', {"mug_1": [4], "rug_1": [5]}, 1),
        (f'{{"objects": [{MUG}, {RUG}], "rel', {"mug_1": [4], "rug_1": [5]}, 0),
    ],
)
def test_cut_chunk_keeps_what_was_whole(raw: str, shown: dict[str, list[int]], links: int) -> None:
    for is_complete in (True, False):
        found = _read(raw, is_complete=is_complete)
        assert (_shown(found), len(found.relations)) == (shown, links)
        assert (found.is_complete, _codes(found)) == (False, {"truncated"})


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (f'{{"objects": [{MUG[:-4]}', "truncated"),
        (f'{{"objects": [{MUG.replace("4", "9")}]}}', "invalid_boxes"),
        ("I see a mug in frame 4.", "no_json"),
        ("I cannot view these images.", "refusal"),
        ("", "empty_reply"),
    ],
)
def test_chunk_without_any_object_says_why(raw: str, code: str) -> None:
    with pytest.raises(ReplyError) as caught:
        _read(raw)
    assert caught.value.code == code


def test_chunk_without_objects_is_an_empty_scene() -> None:
    found = _read('{"objects": [], "relations": []}')
    assert (found.objects, found.is_complete, found.problems) == ([], True, [])
