"""Replies to the detection prompt as models write them; what is bad in them goes, with a word."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_nodes.errors import ReplyError
from memory_nodes.perception.reply import Detections, read_detections
from memory_nodes.perception.reply_objects import MAX_OBJECTS, MAX_TEXT_CHARS
from memory_nodes.records import NS_PER_S, Box, Chunk, ObjectView, Relation
from memory_test_support.recorded_models import reply
from memory_test_support.records import keyframe

CHUNK = Chunk(7, (keyframe(11), keyframe(12), keyframe(13)))
BOX = [100, 120, 300, 320]
PIXELS = Box(100.0, 120.0, 300.0, 320.0)
MUG: dict[str, Any] = {
    "id": "mug_1",
    "type": "mug",
    "description": "a red mug with a chipped rim",
    "attributes": {
        "color": "red",
        "material": "",
        "size": "small",
        "state": "empty",
        "affordances": ["drink"],
    },
    "views": [{"frame": 0, "bbox": BOX}, {"frame": 2, "bbox": BOX}],
}
DESK: dict[str, Any] = {**MUG, "id": "desk_1", "type": "desk"}
ON: dict[str, Any] = {
    "subject": "mug_1",
    "predicate": "on",
    "object": "desk_1",
    "frames": [0],
}


def _read(text: str) -> Detections:
    return read_detections(reply(text), CHUNK, "xyxy_pixels")


def _read_value(*objects: Any, relations: Any = ()) -> Detections:
    return _read(json.dumps({"objects": objects, "relations": list(relations)}))


def test_clean_reply_is_read_in_full() -> None:
    found = _read_value(MUG, DESK, relations=[ON])
    mug = found.objects[0]
    assert (mug.object_id, mug.type, mug.description) == (
        "mug_1",
        "mug",
        "a red mug with a chipped rim",
    )
    assert mug.attributes == {"color": "red", "size": "small", "state": "empty"}
    assert mug.affordances == ("drink",)
    assert mug.views == (ObjectView(11, PIXELS), ObjectView(13, PIXELS))
    assert (mug.first_seen_ns, mug.last_seen_ns, mug.view_count) == (
        11 * NS_PER_S,
        13 * NS_PER_S,
        2,
    )
    assert found.relations == [Relation("mug_1", "on", "desk_1", (11,))]
    assert found.problems == []


@pytest.mark.parametrize(
    "wrapping",
    [
        "{}",
        "```json\n{}\n```",
        "Here is what I see in frames [0] and [2]:\n{}\nTell me if you need more {{detail}}.",
        '<think>A draft: {{"objects": []}} no, there is a mug.</think>\n{}',
    ],
    ids=["bare", "fenced", "in prose", "after thoughts"],
)
def test_reply_is_found_in_its_wrapping(wrapping: str) -> None:
    found = _read(wrapping.format(json.dumps({"objects": [MUG], "relations": []})))
    assert [item.object_id for item in found.objects] == ["mug_1"]
    assert found.problems == []


def test_bare_list_counts_as_objects() -> None:
    assert len(_read(json.dumps([MUG, DESK])).objects) == 2


def test_label_and_bbox_2d_are_other_names_of_type_and_bbox() -> None:
    found = _read_value({"label": "desk fan", "views": [{"frame": 0, "bbox_2d": BOX}]})
    assert (found.objects[0].object_id, found.objects[0].type) == ("desk_fan", "desk fan")


@pytest.mark.parametrize(
    "text",
    [
        "I see a mug on a desk.",
        "",
        "{}",
        '{"objects": "none"}',
        '{"objects": {"mug": 1}}',
        '{"objects": [' + json.dumps(MUG)[:-20],
        "<think>" + json.dumps([MUG]),
        "[" * 100_000,
        '{"objects": ' + "9" * 5000 + "}",
    ],
)
def test_reply_without_a_list_of_objects_is_refused(text: str) -> None:
    with pytest.raises(ReplyError):
        _read(text)


def test_reply_that_was_cut_off_is_never_complete_however_it_looks() -> None:
    found = read_detections(reply(json.dumps([MUG]), is_complete=False), CHUNK, "xyxy_pixels")
    assert (len(found.objects), found.is_complete) == (1, False)
    assert found.problems == ["truncated: the reply was cut off; what was whole in it is kept"]


def test_view_of_an_unknown_frame_goes_and_the_object_stays() -> None:
    views = [{"frame": n, "bbox": BOX} for n in (3, -1, None, "x", True, 1)]
    found = _read_value({**MUG, "views": views})
    assert [view.keyframe_id for view in found.objects[0].views] == [12]
    assert found.problems == [
        f"unknown_frame: mug: a view of frame {n!r}" for n in (3, -1, None, "x", True)
    ]


def test_frame_number_may_be_a_text() -> None:
    found = _read_value({**MUG, "views": [{"frame": " 1 ", "bbox": BOX}]})
    assert found.objects[0].views[0].keyframe_id == 12


def test_frame_number_of_thousands_of_digits_is_an_unknown_frame() -> None:
    found = _read_value(DESK, {**MUG, "views": [{"frame": "9" * 5000, "bbox": BOX}]})
    assert [item.object_id for item in found.objects] == ["desk_1"]


def test_impossible_box_goes_and_the_object_stays() -> None:
    views = [{"frame": 0, "bbox": [300, 120, 100, 320]}, {"frame": 1, "bbox": BOX}]
    found = _read_value({**MUG, "views": views})
    assert [view.keyframe_id for view in found.objects[0].views] == [12]
    assert found.problems == ["impossible_box: mug: (300, 120, 100, 320)"]


def test_object_without_a_usable_view_goes_and_the_others_stay() -> None:
    found = _read_value({**MUG, "views": [{"frame": 0, "bbox": [1, 2]}]}, DESK)
    assert [item.object_id for item in found.objects] == ["desk_1"]
    assert (found.dropped, found.dropped_views) == (1, 1)


def test_object_listed_without_a_view_stays_without_a_place() -> None:
    found = _read_value({**MUG, "views": []}, DESK)
    assert [len(item.views) for item in found.objects] == [0, 2]
    assert found.problems == ["no_view: mug: listed without any view"]


@pytest.mark.parametrize("record", ["mug", 3, None, ["mug"], {}, {"remark": "dusty"}])
def test_what_is_no_record_is_passed_over(record: Any) -> None:
    found = _read_value(record, DESK)
    assert [item.object_id for item in found.objects] == ["desk_1"]
    assert (found.dropped, found.problems) == (0, [])


@pytest.mark.parametrize("record", [{"views": []}, {**MUG, "type": " "}, {"bbox": BOX}])
def test_record_without_a_type_goes_and_the_others_stay(record: Any) -> None:
    found = _read_value(record, DESK)
    assert [item.object_id for item in found.objects] == ["desk_1"]
    assert (found.dropped, found.problems) == (1, ["unnamed_object: no type or label"])


def test_two_views_in_one_frame_are_one() -> None:
    other = {"frame": 0, "bbox": [1, 2, 30, 40]}
    found = _read_value({**MUG, "views": [*MUG["views"], other]})
    assert [view.keyframe_id for view in found.objects[0].views] == [11, 13]
    assert found.objects[0].views[0].box == PIXELS


def test_id_given_to_two_types_makes_two_objects() -> None:
    box = {**MUG, "type": "box", "id": "mug_1"}
    found = _read_value(MUG, box, DESK)
    assert [item.object_id for item in found.objects] == ["mug_1", "mug_2", "desk_1"]
    assert found.problems == ["duplicate_id: mug_1 also names a box: mug_2"]


def test_object_listed_frame_by_frame_is_one() -> None:
    first, second = ({**MUG, "views": [{"frame": n, "bbox": BOX}]} for n in (2, 0))
    found = _read_value(first, second, first)
    assert [item.object_id for item in found.objects] == ["mug_1"]
    mug = found.objects[0]
    assert mug.views == (ObjectView(11, PIXELS), ObjectView(13, PIXELS))
    assert (mug.first_seen_ns, mug.last_seen_ns) == (11 * NS_PER_S, 13 * NS_PER_S)
    assert found.problems == []


def test_relation_to_an_unlisted_object_goes_and_the_others_stay() -> None:
    found = _read_value(MUG, DESK, relations=[{**ON, "object": "sofa_9"}, ON])
    assert found.relations == [Relation("mug_1", "on", "desk_1", (11,))]
    assert found.problems == ["relation_unlisted_id: mug_1 on sofa_9"]


@pytest.mark.parametrize("relation", [{**ON, "object": "mug_1"}, {**ON, "predicate": ""}, "on", 5])
def test_relation_that_says_nothing_is_dropped(relation: Any) -> None:
    found = _read_value(MUG, DESK, relations=[relation])
    assert (found.relations, len(found.problems)) == ([], 1)


def test_relation_without_a_known_frame_is_dropped() -> None:
    found = _read_value(MUG, DESK, relations=[{**ON, "frames": [5]}, {**ON, "frames": None}])
    assert (found.relations, len(found.problems)) == ([], 2)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("On Top Of", "on"),
        ("beside", "next to"),
        ("in", "inside"),
        ("leans against", "leans against"),
    ],
)
def test_predicate_is_brought_to_the_known_word(said: str, kept: str) -> None:
    found = _read_value(MUG, DESK, relations=[{**ON, "predicate": said}])
    assert found.relations[0].predicate == kept


def test_ids_of_any_alphabet_lose_their_spaces_in_objects_and_relations() -> None:
    jug = {**MUG, "id": "crème jug 1", "type": "crème jug"}
    cup = {**MUG, "id": " 茶杯 2", "type": "茶杯"}
    relation = {**ON, "subject": "crème jug 1", "predicate": "left of", "object": "茶杯 2"}
    found = _read_value(jug, cup, relations=[relation])
    assert [item.object_id for item in found.objects] == ["crème_jug_1", "茶杯_2"]
    assert found.relations == [Relation("crème_jug_1", "left of", "茶杯_2", (11,))]


def test_text_is_bounded_and_can_be_stored() -> None:
    long = {**MUG, "description": "x" * 10_000}
    broken = {**DESK, "description": "half \ud800 an emoji, and a \0 zero"}
    found = _read_value(long, broken)
    assert len(found.objects[0].description) == MAX_TEXT_CHARS
    assert found.objects[1].description == "half ? an emoji, and a   zero"


def test_number_of_objects_is_bounded() -> None:
    many = [{**MUG, "id": f"mug_{n}"} for n in range(MAX_OBJECTS + 3)]
    found = _read_value(*many)
    assert len(found.objects) == MAX_OBJECTS
    assert found.problems == ["too_many_objects: 203 in one reply: 200 are kept"]


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["objects", "relations", "type", "id", "views", "frame", "bbox"]), inner
        )
    ),
    max_leaves=20,
)


@given(JSON_VALUES)
def test_whatever_json_comes_it_is_read_or_refused(value: Any) -> None:
    try:
        found = _read(json.dumps({"objects": [value, {**MUG, "views": value}, MUG]}))
    except ReplyError:
        return
    assert any(item.object_id.startswith("mug") for item in found.objects)
