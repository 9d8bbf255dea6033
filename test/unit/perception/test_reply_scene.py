"""A reply may say what the place looks like; one that does not is as good."""

from __future__ import annotations

import json

import pytest

from memory_nodes.models.ports import Reply
from memory_nodes.perception.reply import MAX_PLACE_CHARS, read_detections
from memory_nodes.perception.reply_objects import MAX_TEXT_CHARS
from memory_nodes.records import Chunk
from memory_test_support.recorded_models import reply
from memory_test_support.records import keyframe

CHUNK = Chunk(1, (keyframe(1),))
MUG = {"type": "mug", "views": [{"frame": 0, "bbox": [300, 220, 340, 260]}]}


def _scene(text: str | Reply) -> tuple[str, str, int]:
    """Scene, place and the number of objects."""
    answer = text if isinstance(text, Reply) else reply(text)
    found = read_detections(answer, CHUNK, "xyxy_pixels")
    return found.scene, found.place, len(found.objects)


def test_scene_and_place_are_read_beside_the_objects() -> None:
    said = {"scene": " A tidy office. ", "place": "office", "objects": [MUG], "relations": []}
    assert _scene(json.dumps(said)) == ("A tidy office.", "office", 1)


def test_scene_without_any_object_is_read() -> None:
    said = {"scene": "An empty corridor.", "place": "corridor", "objects": [], "relations": []}
    assert _scene(json.dumps(said)) == ("An empty corridor.", "corridor", 0)


@pytest.mark.parametrize("said", [{}, {"scene": None, "place": 7}, {"scene": {"objects": []}}])
def test_reply_that_says_no_scene_is_as_good(said: dict[str, object]) -> None:
    assert _scene(json.dumps({**said, "objects": [MUG]})) == ("", "", 1)


def test_scene_of_an_object_is_none_of_the_whole() -> None:
    picture = {**MUG, "type": "picture", "scene": "A beach.", "place": "on the wall"}
    assert _scene(json.dumps({"objects": [picture]})) == ("", "", 1)


def test_scene_is_bounded() -> None:
    said = {"scene": "x" * 10**5, "place": "y" * 10**5, "objects": [MUG]}
    scene, place, _ = _scene(json.dumps(said))
    assert (len(scene), len(place)) == (MAX_TEXT_CHARS, MAX_PLACE_CHARS)


def test_scene_stays_where_the_reply_was_cut_off_after_it() -> None:
    whole = json.dumps({"scene": "An office.", "place": "office", "objects": [MUG, MUG]})
    cut = whole[: whole.index("views") + len(whole) // 3]
    assert _scene(cut) == ("An office.", "office", 1)


def test_scene_that_was_cut_off_itself_is_left_out() -> None:
    text = json.dumps({"objects": [MUG], "scene": "An office with a long window."})
    assert _scene(text[:-12]) == ("", "", 1)
