"""A look at what is before the robot: a new picture, a bounded wait, a checked reply."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from PIL import Image as PilImage
from rclpy.time import Time
from sensor_msgs.msg import CompressedImage

from memory_nodes.errors import ModelUnavailable
from memory_nodes.models.ports import Prompt
from memory_nodes.navigation.arrival import Presence, Sighted
from memory_nodes.navigation.outcomes import Cause
from memory_nodes.nodes.goal_node import GoalNode
from memory_nodes.ros import endpoints
from memory_nodes.ros.nav2.stop import Stop
from memory_test_support.node_bench import NodeBench
from memory_test_support.recorded_models import RecordedChat, Silence, Turn

YES = '{"present": "yes", "reason": "beside the kettle"}'


@pytest.fixture
def look(bench: NodeBench) -> Callable[..., tuple[Sighted, list[Prompt]]]:
    """Looks for a mug with a model that plays a turn; gives what came of it, and the prompts."""

    def start(
        turn: Turn | None, picture: CompressedImage | None = None, **parameters: Any
    ) -> tuple[Sighted, list[Prompt]]:
        node = bench.start(
            GoalNode, **{"picture_timeout_s": 5.0, "verify_timeout_s": 5.0, **parameters}
        )
        model = RecordedChat(turn) if turn is not None else None
        node.means.eye.model = model
        if picture is not None:
            _show(bench, picture)
        looking = bench.executor.create_task(node.means.eye.look("a red mug", Stop()))
        seen: Sighted = bench.result(looking, "the end of the look")
        return seen, model.prompts if model is not None else []

    return start


def _show(bench: NodeBench, picture: CompressedImage) -> None:
    """The same picture again and again, stamped now unless it has a stamp."""
    publisher = bench.user.create_publisher(CompressedImage, endpoints.IMAGE, endpoints.SENSOR)
    is_stamped = Time.from_msg(picture.header.stamp).nanoseconds > 0

    def show() -> None:
        if not is_stamped:
            picture.header.stamp = bench.user.get_clock().now().to_msg()
        publisher.publish(picture)

    bench.user.create_timer(0.05, show)


def picture(kind: str = "JPEG", size_px: tuple[int, int] = (64, 48)) -> CompressedImage:
    data = io.BytesIO()
    PilImage.new("RGB", size_px, "red").save(data, kind)
    return CompressedImage(format=kind.lower(), data=data.getvalue())


@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_picture_that_was_just_taken_goes_to_the_model_as_jpeg(
    kind: str, look: Callable[..., tuple[Sighted, list[Prompt]]]
) -> None:
    shown = picture(kind)
    seen, (prompt,) = look(YES, shown)
    assert (seen.presence, seen.reason) == (Presence.YES, "beside the kettle")
    assert 0 < seen.stamp_ns <= Time.from_msg(shown.header.stamp).nanoseconds  # of the last one
    (sent,) = prompt.pictures
    assert PilImage.open(io.BytesIO(sent.jpeg)).format == "JPEG"
    assert "a red mug" in prompt.text


def test_large_picture_is_made_smaller(
    look: Callable[..., tuple[Sighted, list[Prompt]]],
) -> None:
    _, (prompt,) = look(YES, picture(size_px=(640, 480)), picture_max_side_px=320)
    assert PilImage.open(io.BytesIO(prompt.pictures[0].jpeg)).size == (320, 240)


@pytest.mark.parametrize("stamp_s", [1000, 2**31 - 1])
def test_picture_from_before_the_arrival_or_of_another_clock_is_not_looked_at(
    stamp_s: int, look: Callable[..., tuple[Sighted, list[Prompt]]]
) -> None:
    old = picture()
    old.header.stamp.sec = stamp_s
    seen, prompts = look(YES, old, picture_timeout_s=0.5)
    assert (seen.presence, prompts) == (Presence.UNSURE, [])
    assert "no picture" in seen.reason


@pytest.mark.parametrize(
    ("turn", "shown", "reason"),
    [
        (None, None, "no model"),
        (YES, CompressedImage(format="jpeg", data=b"not a picture"), "cannot be read"),
        (Silence.HANG, picture(), "did not say"),
        (ModelUnavailable("the server is away"), picture(), "did not say"),
        ("It is there.", picture(), "did not say"),
    ],
)
def test_nobody_who_can_tell_is_unsure_and_says_why(
    turn: Turn | None,
    shown: CompressedImage | None,
    reason: str,
    look: Callable[..., tuple[Sighted, list[Prompt]]],
) -> None:
    seen, _ = look(turn, shown, verify_timeout_s=0.3)
    assert seen.presence is Presence.UNSURE
    assert reason in seen.reason


def test_stop_ends_the_wait_for_a_picture(bench: NodeBench) -> None:
    node = bench.start(GoalNode, picture_timeout_s=60.0)
    node.means.eye.model = RecordedChat(YES)
    stop = Stop()
    looking = bench.executor.create_task(node.means.eye.look("a red mug", stop))
    stop.ask(Cause.STOPPED)
    assert bench.result(looking, "the end of the look").presence is Presence.UNSURE
