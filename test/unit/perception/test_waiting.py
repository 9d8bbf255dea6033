"""Images wait for the transform of their stamp, in order, and are never lost silently."""

from __future__ import annotations

from collections import Counter

import pytest

from memory_nodes.errors import TransformError, TransformNotYet, TransformTooOld, TransformUnknown
from memory_nodes.perception.waiting import WaitingRoom


class _Poses:
    """What is known of each image: a reason to wait, or nothing."""

    def __init__(self) -> None:
        self.missing: dict[str, TransformError] = {}
        self.last_calls: list[str] = []

    def gather(self, image: str, is_last_call: bool) -> str:
        if is_last_call:
            self.last_calls.append(image)
        if image in self.missing:
            raise self.missing[image]
        return image.upper()


@pytest.fixture
def poses() -> _Poses:
    return _Poses()


@pytest.fixture
def counters() -> Counter[str]:
    return Counter()


@pytest.fixture
def room(poses: _Poses, counters: Counter[str]) -> WaitingRoom[str, str]:
    return WaitingRoom(poses.gather, timeout_s=2.0, capacity=3, counters=counters)


def test_image_leaves_once_its_transform_is_there(
    room: WaitingRoom[str, str], poses: _Poses, counters: Counter[str]
) -> None:
    poses.missing["a"] = TransformNotYet()
    room.enter("a", 0.0)
    assert list(room.leave(1.0)) == []
    del poses.missing["a"]
    assert list(room.leave(1.5)) == ["A"]
    assert (len(room), counters.total()) == (0, 0)


def test_image_that_waits_holds_back_those_behind_it(
    room: WaitingRoom[str, str], poses: _Poses
) -> None:
    poses.missing["a"] = TransformNotYet()
    room.enter("a", 0.0)
    room.enter("b", 0.1)
    assert list(room.leave(1.0)) == []
    del poses.missing["a"]
    assert list(room.leave(1.1)) == ["A", "B"]


@pytest.mark.parametrize(
    ("error", "counter"),
    [
        (TransformNotYet(), "dropped_transform_late"),
        (TransformUnknown(), "dropped_frame_unknown"),
        (TransformTooOld(), "dropped_transform_too_old"),
    ],
)
def test_keyframe_without_transform_is_dropped_and_counted(
    room: WaitingRoom[str, str],
    poses: _Poses,
    counters: Counter[str],
    error: TransformError,
    counter: str,
) -> None:
    poses.missing["a"] = error
    room.enter("a", 0.0)
    room.enter("b", 0.0)
    assert list(room.leave(2.0)) == ["B"]
    assert counters == {counter: 1}


def test_image_older_than_the_history_does_not_wait(
    room: WaitingRoom[str, str], poses: _Poses, counters: Counter[str]
) -> None:
    poses.missing["a"] = TransformTooOld()
    room.enter("a", 0.0)
    assert list(room.leave(0.0)) == []
    assert (len(room), counters["dropped_transform_too_old"]) == (0, 1)


def test_last_call_comes_when_the_time_is_over(room: WaitingRoom[str, str], poses: _Poses) -> None:
    room.enter("a", 0.0)
    assert list(room.leave(1.9)) == ["A"]
    room.enter("b", 0.0)
    assert list(room.leave(2.0)) == ["B"]
    assert poses.last_calls == ["b"]


def test_oldest_goes_when_too_many_wait(
    room: WaitingRoom[str, str], counters: Counter[str]
) -> None:
    for image in "abcd":
        room.enter(image, 0.0)
    assert list(room.leave(0.0)) == ["B", "C", "D"]
    assert counters == {"dropped_too_many_waiting": 1}


def test_everybody_goes_when_time_jumps_back(
    room: WaitingRoom[str, str], counters: Counter[str]
) -> None:
    room.enter("a", 0.0)
    room.enter("b", 0.0)
    room.clear()
    assert list(room.leave(0.0)) == []
    assert counters == {"dropped_time_jump": 2}
