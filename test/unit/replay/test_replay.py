"""A recording becomes the memory that the same frames make by the library."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmark.identity.resolver import Resolver
from benchmark.tour_memory import CALL_TIMEOUT_S, EVERY_IMAGE, detected
from memory_nodes.errors import ExtraMissing, InputError, ModelUnavailable
from memory_nodes.models.openai_chat import OpenAIChat, chat_for
from memory_nodes.models.openai_endpoint import EndpointConfig
from memory_nodes.models.ports import Prompt, Reply
from memory_nodes.perception.detector import DetectorConfig
from memory_nodes.perception.images import depth_from_png
from memory_nodes.perception.spool import Spool
from memory_nodes.records import HistoryUnit, Keyframe, ObjectDescriptor
from memory_nodes.replay.bag import Bag
from memory_nodes.replay.recording import BagRecorder, RecordingConfig
from memory_nodes.replay.replay import Replayed, replay
from memory_nodes.replay.topics import Topics
from memory_nodes.store.past import Past
from memory_nodes.store.reader import Reader
from memory_nodes.suite import SuiteConfig
from memory_test_support.model_server import ModelServer
from memory_test_support.tour import Tour, load_tour
from memory_test_support.tour_bag import DEPTH, BagOptions, write_tour_bag

FRAMES = 16
"""Two chunks."""
CONFIG = RecordingConfig(
    suite=SuiteConfig(map_id="tour", time_zone="UTC"),
    topics=Topics(depth=DEPTH),
    recorder=EVERY_IMAGE,
    detection=DetectorConfig(retry_s=0.1),
)


def silent(what: str, done: int, total: int) -> None:
    """A progress bar that nobody looks at."""


@pytest.fixture(scope="module")
def short_tour() -> Tour:
    tour = load_tour()
    return replace(tour, frames=tour.frames[:FRAMES])


@pytest.fixture(scope="module")
def bag(short_tour: Tour, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tour_bag(tmp_path_factory.mktemp("bag") / "tour", short_tour, short_tour.frames)


def _model(server: ModelServer) -> OpenAIChat:
    model = chat_for(EndpointConfig(base_url=server.base_url, model="stand-in"))
    assert model is not None
    return model


def _replayed(bag: Path | None, memory_dir: Path, config: RecordingConfig = CONFIG) -> Replayed:
    with ModelServer() as server:
        return replay(bag, memory_dir, config, _model(server), CALL_TIMEOUT_S, silent)


def _graph(memory_dir: Path) -> tuple[list[ObjectDescriptor], list[Keyframe]]:
    reader = Reader(memory_dir)
    objects, _, keyframes = reader.graph()
    reader.close()
    return objects, keyframes


async def _by_the_library(tour: Tour, memory_dir: Path) -> None:
    with ModelServer() as server:
        model = _model(server)
        graphs = await detected(tour, model, memory_dir)
        with Resolver(memory_dir, model, CALL_TIMEOUT_S) as resolver:
            for graph in graphs:
                await resolver.take(graph)


def _recorded(bag: Path, memory_dir: Path, config: RecordingConfig = CONFIG) -> BagRecorder:
    """Its first half alone."""
    with Bag(bag) as opened, closing(Spool(memory_dir)) as spool:
        found = replace(config, topics=config.topics.found_in(opened.types))
        recorder = BagRecorder(memory_dir, spool, found)
        recorder.record(opened, silent)
    return recorder


@pytest.fixture(scope="module")
def replayed(bag: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Replayed]:
    memory_dir = tmp_path_factory.mktemp("replayed") / "memory"
    return memory_dir, _replayed(bag, memory_dir)


def test_recording_makes_the_memory_that_the_library_makes(
    replayed: tuple[Path, Replayed], short_tour: Tour, tmp_path: Path
) -> None:
    asyncio.run(_by_the_library(short_tour, tmp_path))
    (objects, keyframes), (wanted, wanted_keyframes) = _graph(replayed[0]), _graph(tmp_path)
    assert len(keyframes) == FRAMES
    for found, expected in zip(keyframes, wanted_keyframes, strict=True):
        assert found.stamp_ns == expected.stamp_ns
        assert found.map_from_base.distance_m(expected.map_from_base) < 1e-6
        assert found.map_from_camera.angle_rad(expected.map_from_camera) < 1e-6
        assert found.intrinsics == expected.intrinsics
    assert [item.object_id for item in objects] == [item.object_id for item in wanted]
    for seen, same in zip(objects, wanted, strict=True):
        assert [view.box for view in seen.views] == [view.box for view in same.views]
        assert (seen.position is None) == (same.position is None)
        if seen.position is not None and same.position is not None:
            assert np.allclose(seen.position.point_m, same.position.point_m, atol=1e-4)


def test_every_image_is_counted_and_kept_as_it_came(
    replayed: tuple[Path, Replayed], short_tour: Tour
) -> None:
    memory_dir, found = replayed
    assert (found.images["images"], found.images["keyframes"]) == (FRAMES, FRAMES)
    assert found.counts.keyframes == FRAMES
    _, keyframes = _graph(memory_dir)
    for keyframe, frame in zip(keyframes, short_tour.frames, strict=True):
        assert (memory_dir / keyframe.image_path).read_bytes() == frame.image_path.read_bytes()


def test_history_and_gists_are_told_at_the_end(replayed: tuple[Path, Replayed]) -> None:
    memory_dir, found = replayed
    assert found.counts.gists > 0
    past = Past(memory_dir)
    assert past.parentless([HistoryUnit.ROOT])
    (session,) = past.episodes()
    assert session.end_ns == load_tour().frames[FRAMES - 1].stamp_ns
    past.close()


@pytest.mark.parametrize("is_mcap", [True, False])
@pytest.mark.parametrize("is_raw", [True, False])
def test_both_storages_and_both_kinds_of_images_are_read(
    short_tour: Tour, tmp_path: Path, is_mcap: bool, is_raw: bool
) -> None:
    options = BagOptions(is_mcap=is_mcap, is_raw=is_raw)
    bag = write_tour_bag(tmp_path / "bag", short_tour, short_tour.frames[:3], options)
    recorder = _recorded(bag, tmp_path / "memory")
    assert (recorder.counters["keyframes"], recorder.problems) == (3, {})


def test_depth_of_the_same_stamp_goes_with_the_keyframe(
    bag: Path, short_tour: Tour, tmp_path: Path
) -> None:
    _recorded(bag, tmp_path)
    spool = Spool(tmp_path)
    chunk = spool.next_undetected()
    assert chunk is not None
    pngs = spool.depth_pngs(chunk)
    spool.close()
    for keyframe, frame in zip(chunk.keyframes, short_tour.frames, strict=False):
        wanted = depth_from_png(frame.depth_path.read_bytes())
        assert np.array_equal(depth_from_png(pngs[keyframe.keyframe_id]), wanted)


def test_image_without_a_transform_is_dropped_and_counted(short_tour: Tour, tmp_path: Path) -> None:
    bag = write_tour_bag(tmp_path / "bag", short_tour, short_tour.frames[:4])
    suite = replace(CONFIG.suite, base_frame="base_footprint")
    recorder = _recorded(bag, tmp_path / "memory", replace(CONFIG, suite=suite))
    assert recorder.counters == Counter(images=4, dropped_frame_unknown=4)


def test_recording_without_camera_info_is_read_and_says_what_is_missing(
    short_tour: Tour, tmp_path: Path
) -> None:
    options = BagOptions(has_camera_info=False, has_depth=False)
    bag = write_tour_bag(tmp_path / "bag", short_tour, short_tour.frames[:2], options)
    recorder = _recorded(bag, tmp_path / "memory", replace(CONFIG, topics=Topics()))
    assert recorder.counters["keyframes"] == 2
    assert list(recorder.problems) == ["camera_info"]


def test_recording_without_transforms_is_refused(short_tour: Tour, tmp_path: Path) -> None:
    options = BagOptions(has_transforms=False)
    bag = write_tour_bag(tmp_path / "bag", short_tour, short_tour.frames[:2], options)
    with pytest.raises(InputError, match="no topic '/tf'"):
        _recorded(bag, tmp_path / "memory")


def test_recording_that_cannot_be_used_leaves_the_directory_as_it_was(
    bag: Path, tmp_path: Path
) -> None:
    wrong = replace(CONFIG, topics=Topics(image="/nothing"))
    with pytest.raises(InputError, match="no topic '/nothing'"):
        _replayed(bag, tmp_path / "memory", wrong)
    with pytest.raises(InputError, match="cannot be read"):
        _replayed(tmp_path / "misspelled", tmp_path / "memory")
    assert list(tmp_path.iterdir()) == []


def test_memory_that_is_there_is_not_touched(bag: Path, replayed: tuple[Path, Replayed]) -> None:
    with pytest.raises(InputError, match=r"holds memory\.sqlite already"):
        _replayed(bag, replayed[0])


def test_later_recording_is_added_as_another_session(short_tour: Tour, tmp_path: Path) -> None:
    first, second = (
        short_tour.frames[:2],
        tuple(
            replace(frame, stamp_ns=frame.stamp_ns + 3600 * 10**9)
            for frame in short_tour.frames[2:4]
        ),
    )
    memory_dir = tmp_path / "memory"
    _replayed(write_tour_bag(tmp_path / "first", short_tour, first), memory_dir)
    later = write_tour_bag(tmp_path / "second", short_tour, second)
    with ModelServer() as server:
        found = replay(
            later, memory_dir, CONFIG, _model(server), CALL_TIMEOUT_S, silent, appends=True
        )
    assert (found.counts.keyframes, found.counts.episodes) == (4, 2)
    _, keyframes = _graph(memory_dir)
    assert [item.keyframe_id for item in keyframes] == [1, 2, 3, 4]
    assert len({item.session_id for item in keyframes}) == 2


class Away:
    """A model that is away."""

    async def complete(self, prompt: Prompt, deadline_s: float) -> Reply:
        raise ModelUnavailable("away")


def test_what_was_read_waits_on_disk_while_the_model_is_away(bag: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="2 chunks wait on disk"):
        replay(bag, tmp_path, CONFIG, Away(), CALL_TIMEOUT_S, silent)
    found = _replayed(None, tmp_path)
    assert (found.counts.keyframes, found.images) == (FRAMES, {})


@pytest.mark.parametrize("content", [None, b"no recording"])
def test_what_is_no_recording_is_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "drive.mcap"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=r"drive\.mcap cannot be read"):
        Bag(path)


def test_damaged_recording_is_refused_where_it_is_damaged(short_tour: Tour, tmp_path: Path) -> None:
    bag = write_tour_bag(tmp_path / "bag", short_tour, short_tour.frames[:4])
    (data,) = bag.glob("*.mcap")
    content = data.read_bytes()
    data.write_bytes(content[: len(content) // 2])
    with pytest.raises(InputError, match="cannot be read"):
        _recorded(bag, tmp_path / "memory")


@pytest.mark.parametrize("is_mcap", [True, False])
def test_any_damage_is_an_error_that_names_the_recording(
    short_tour: Tour, tmp_path: Path, is_mcap: bool
) -> None:
    """Or none that can be told: what it holds may still be read."""
    options = BagOptions(is_mcap=is_mcap, has_depth=False)
    bag = write_tour_bag(tmp_path / "bag", short_tour, short_tour.frames[:2], options)
    (data,) = bag.glob("*.mcap" if is_mcap else "*.db3")
    content, refused = data.read_bytes(), 0
    chance = np.random.default_rng(3)
    for _ in range(60):
        damaged = np.frombuffer(content, np.uint8).copy()
        damaged[chance.integers(0, min(8000, len(content)), 20)] = chance.integers(0, 256, 20)
        data.write_bytes(damaged.tobytes())
        try:
            with Bag(bag) as opened:
                list(opened.messages(list(opened.types)))
        except InputError as error:
            assert str(bag) in str(error)
            refused += 1
    assert refused > 10


def test_without_rosbags_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "rosbags.highlevel", None)
    with pytest.raises(ExtraMissing, match=r"robot-memory\[bags\]"):
        Bag(tmp_path)
