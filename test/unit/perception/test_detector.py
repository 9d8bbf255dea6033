"""One chunk of images in, one graph out, whatever the model does."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import numpy as np
import pytest

from memory_nodes.errors import ChunkTooLarge, ModelRejected, ModelUnavailable
from memory_nodes.perception.detector import ChunkDetector, DetectorConfig
from memory_nodes.perception.images import depth_to_png
from memory_nodes.records import Box, Chunk, ChunkGraph
from memory_test_support.recorded_models import RecordedChat, Turn, reply
from memory_test_support.records import keyframe

CHUNK = Chunk(3, (keyframe(1), keyframe(2)))
MUG = json.dumps(
    {
        "objects": [
            {"id": "mug_1", "type": "mug", "views": [{"frame": 0, "bbox": [300, 220, 340, 260]}]}
        ],
        "relations": [],
    }
)


@pytest.fixture
def memory_dir(tmp_path: Path) -> Path:
    (tmp_path / "images").mkdir()
    for item in CHUNK.keyframes:
        (tmp_path / item.image_path).write_bytes(f"jpeg {item.keyframe_id}".encode())
    return tmp_path


def _detect(
    memory_dir: Path, *turns: Turn, depth_pngs: dict[int, bytes] | None = None
) -> tuple[ChunkGraph, RecordedChat]:
    model = RecordedChat(*turns)
    detector = ChunkDetector(model, memory_dir, DetectorConfig(max_bad_replies=3), 10.0)
    return asyncio.run(detector.detect(CHUNK, depth_pngs or {})), model


def test_model_sees_every_image_of_the_chunk_in_order(memory_dir: Path) -> None:
    _, model = _detect(memory_dir, MUG)
    pictures = model.prompts[0].pictures
    assert [(item.caption, item.jpeg) for item in pictures] == [
        ("Frame 0", b"jpeg 1"),
        ("Frame 1", b"jpeg 2"),
    ]


def test_prompt_names_task_format_and_image_size(memory_dir: Path) -> None:
    _, model = _detect(memory_dir, MUG)
    prompt = model.prompts[0]
    assert prompt.task == "chunk_detection"
    assert "xyxy_pixels: [left, top, right, bottom] in pixels of a 640 x 480 image" in prompt.system
    assert "{" not in prompt.system
    assert prompt.reply_schema["required"] == ["scene", "place", "objects", "relations"]


def test_graph_says_which_model_and_prompt_made_it(memory_dir: Path) -> None:
    found, _ = _detect(memory_dir, MUG)
    assert (found.model, found.prompt_version, found.resolved) == ("recorded", "detect_v2", False)
    assert [item.object_id for item in found.objects] == ["mug_1"]


def test_depth_gives_the_view_a_point_and_the_object_a_position(memory_dir: Path) -> None:
    depth = depth_to_png(np.full((480, 640), 2.0, np.float32))
    found, _ = _detect(memory_dir, MUG, depth_pngs={1: depth})
    assert found.objects[0].views[0].point_map_m == pytest.approx((2.1, 0.0, 1.0))
    assert found.objects[0].position is not None
    # behind the measured surface by a fifth of the object's size
    assert found.objects[0].position.point_m == pytest.approx((2.15, 0.0, 1.0), abs=0.03)


def test_keyframe_with_depth_carries_it_as_a_grid(memory_dir: Path) -> None:
    depth = depth_to_png(np.full((480, 640), 2.0, np.float32))
    found, _ = _detect(memory_dir, MUG, depth_pngs={1: depth})
    with_depth, without = found.chunk.keyframes
    assert with_depth.depth_grid is not None
    assert set(with_depth.depth_grid.depths_mm) == {2000}
    assert without.depth_grid is None


def test_unreadable_reply_is_asked_for_again(memory_dir: Path) -> None:
    found, model = _detect(memory_dir, "a mug", MUG)
    assert len(model.prompts) == 2
    assert len(found.objects) == 1
    assert "no JSON" in found.problems[0]


def test_poisoned_chunk_is_kept_without_objects_after_some_tries(memory_dir: Path) -> None:
    found, model = _detect(memory_dir, "sorry")
    assert len(model.prompts) == 3
    assert (found.chunk, found.objects, len(found.problems)) == (CHUNK, (), 3)


def test_refusal_of_one_chunk_after_others_were_read_does_not_stop_all(memory_dir: Path) -> None:
    model = RecordedChat(MUG, ModelRejected("not this one"))
    detector = ChunkDetector(model, memory_dir, DetectorConfig(max_bad_replies=3), 10.0)
    asyncio.run(detector.detect(CHUNK, {}))
    refused = asyncio.run(detector.detect(CHUNK, {}))
    assert (refused.objects, len(refused.problems)) == ((), 3)


def test_server_that_refuses_everything_is_waited_for(memory_dir: Path) -> None:
    """A wrong set-up, which a person will mend, must not empty the memory meanwhile."""
    with pytest.raises(ModelUnavailable, match="every request so far"):
        _detect(memory_dir, ModelRejected("no images here"))


@pytest.mark.parametrize(("named", "size"), [(1, 1), (None, 1), (8, 1)])
def test_chunk_that_is_too_large_is_to_be_split(
    memory_dir: Path, named: int | None, size: int
) -> None:
    refusal = ModelRejected("at most", is_too_large=True, max_images=named)
    with pytest.raises(ChunkTooLarge) as caught:
        _detect(memory_dir, refusal)
    assert caught.value.size == size


def test_limit_once_learned_is_not_asked_for_again(memory_dir: Path) -> None:
    model = RecordedChat(ModelRejected("at most 1", is_too_large=True, max_images=1), MUG)
    detector = ChunkDetector(model, memory_dir, DetectorConfig(), 10.0)
    for _ in range(2):
        with pytest.raises(ChunkTooLarge):
            asyncio.run(detector.detect(CHUNK, {}))
    assert len(model.prompts) == 1
    part = Chunk(1, CHUNK.keyframes[:1])
    assert len(asyncio.run(detector.detect(part, {})).objects) == 1


def test_reply_that_was_cut_off_is_asked_for_again(memory_dir: Path) -> None:
    found, model = _detect(memory_dir, reply(MUG, is_complete=False), MUG)
    assert len(model.prompts) == 2
    assert len(found.objects) == 1
    assert [problem.partition(":")[0] for problem in found.problems] == ["truncated"]


def test_most_of_replies_that_are_always_cut_off_is_kept_with_a_problem(memory_dir: Path) -> None:
    cut = '{"objects": [{"id": "desk_1", "ty'
    found, model = _detect(memory_dir, reply(MUG, is_complete=False), reply(cut, is_complete=False))
    assert len(model.prompts) == 3
    assert [item.object_id for item in found.objects] == ["mug_1"]
    codes = [problem.partition(":")[0] for problem in found.problems]
    assert codes == ["truncated"] * 4


def test_object_that_is_nowhere_to_be_seen_is_not_remembered(memory_dir: Path) -> None:
    value = json.loads(MUG)
    value["objects"].append({"id": "desk_1", "type": "desk", "views": []})
    value["relations"].append(
        {"subject": "mug_1", "predicate": "on", "object": "desk_1", "frames": [0]}
    )
    found, _ = _detect(memory_dir, json.dumps(value))
    assert [item.object_id for item in found.objects] == ["mug_1"]
    assert found.relations == ()
    assert found.problems == ("no_view: desk: listed without any view",)


def test_prompt_names_the_size_of_the_image_that_boxes_are_of(memory_dir: Path) -> None:
    model = RecordedChat(MUG)
    config = DetectorConfig(bbox_reference_width_px=1280, bbox_reference_height_px=960)
    found = asyncio.run(ChunkDetector(model, memory_dir, config, 10.0).detect(CHUNK, {}))
    assert "pixels of a 1280 x 960 image" in model.prompts[0].system
    assert found.objects[0].views[0].box == Box(150.0, 110.0, 170.0, 130.0)


def test_impossible_box_format_is_named_with_the_right_one(memory_dir: Path) -> None:
    boxes = [[0.1, 0.1, 0.2 + 0.05 * n, 0.5] for n in range(12)]
    text = json.dumps([{"type": "mug", "frame": 0, "bbox": box} for box in boxes])
    model = RecordedChat(text)
    detector = ChunkDetector(model, memory_dir, DetectorConfig(max_bad_replies=2), 10.0)
    assert detector.format_problem is None
    found = asyncio.run(detector.detect(CHUNK, {}))
    assert found.objects == ()
    assert detector.format_problem is not None
    assert "set bbox_format to xyxy_norm1" in detector.format_problem
    assert sum(problem.startswith("bbox_format:") for problem in found.problems) == 1


def test_chunk_whose_image_is_gone_is_kept_without_objects(memory_dir: Path) -> None:
    (memory_dir / CHUNK.keyframes[1].image_path).unlink()
    found, model = _detect(memory_dir, MUG)
    assert (found.chunk, found.objects, model.prompts) == (CHUNK, (), [])
    assert "2.jpg" in found.problems[0]


def test_model_that_is_down_is_for_the_caller_to_wait_for(memory_dir: Path) -> None:
    with pytest.raises(ModelUnavailable):
        _detect(memory_dir, ModelUnavailable("down"))
