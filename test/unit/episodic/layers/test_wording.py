"""Battery, diagnostics and goals in words. Codes are those of the message definitions."""

from __future__ import annotations

import math
from collections import Counter
from types import SimpleNamespace

import pytest

from memory_nodes.episodic.layers.config import READY
from memory_nodes.episodic.layers.layer import Layer
from memory_nodes.episodic.layers.wording import action_of
from memory_nodes.records import NS_PER_S
from memory_nodes.store.observations import is_interoceptive
from memory_nodes.suite import HARDWARE_ID

TOPIC = "/navigate_to_pose/_action/status"


def heard(name: str, *messages: object, before: tuple[str, float] | None = None) -> list[str]:
    """What a ready layer records of messages a minute apart; ``before``: a restart, and when, s."""
    layer, texts = Layer(name, READY[name], Counter()), []
    if before is not None:
        layer.resume(before[0], round(before[1] * NS_PER_S))
    for minute, message in enumerate(messages):
        stamp_ns = (60 + minute) * 60 * NS_PER_S
        for item in layer.news(message, stamp_ns):
            layer.note(item, stamp_ns)
            texts.append(item.text)
    return texts


def battery(percentage: float, status: int = 2, voltage: float = math.nan) -> SimpleNamespace:
    return SimpleNamespace(percentage=percentage, power_supply_status=status, voltage=voltage)


@pytest.mark.parametrize(
    ("message", "texts"),
    [
        (battery(0.43), ["battery 43 %, discharging"]),
        (battery(1.0, 4), ["battery 100 %, full"]),
        (battery(0.5, 0), ["battery 50 %"]),
        (battery(math.nan, 1, 12.34), ["battery 12.3 V, charging"]),
        (battery(math.nan), []),
    ],
)
def test_battery_in_words(message: SimpleNamespace, texts: list[str]) -> None:
    assert heard("battery", message) == texts


def test_battery_is_told_again_after_five_percent_or_when_it_is_charged() -> None:
    levels = [battery(value / 100.0) for value in (90, 88, 86, 85, 81)]
    assert heard("battery", *levels, battery(0.81, 1)) == [
        "battery 90 %, discharging",
        "battery 85 %, discharging",
        "battery 81 %, charging",
    ]


def status(name: str, level: int, message: str = "", **values: str) -> SimpleNamespace:
    pairs = [SimpleNamespace(key=key, value=value) for key, value in values.items()]
    return SimpleNamespace(
        name=name, level=bytes([level]), message=message, hardware_id="arm", values=pairs
    )


def array(*statuses: SimpleNamespace) -> SimpleNamespace:
    return SimpleNamespace(status=list(statuses))


def test_only_warnings_and_errors_are_told() -> None:
    every_level = [status(f"motor {level}", level, "hot") for level in range(4)]
    assert heard("diagnostics", array(*every_level)) == [
        "warning: motor 1: hot",
        "error: motor 2: hot",
    ]


def test_state_that_lasts_is_told_once_whoever_else_reports_in_between() -> None:
    hot, fine = array(status("motor", 2, "hot")), array(status("lidar", 0))
    assert heard("diagnostics", hot, fine, hot) == ["error: motor: hot"]


def test_error_that_was_over_is_told_again() -> None:
    hot, fine = array(status("motor", 2, "hot")), array(status("motor", 0, "ok"))
    assert heard("diagnostics", hot, fine, hot) == ["error: motor: hot"] * 2


def test_temperatures_are_told_at_any_level_when_they_change() -> None:
    readings = [
        array(status("cpu", 0, "ok", **{"Core Temperature": value}))
        for value in ("60.2", "62.0", "66.1", "")
    ]
    assert heard("diagnostics", *readings) == [
        "cpu: Core Temperature 60.2",
        "cpu: Core Temperature 66.1",
    ]


def test_what_the_memory_says_of_itself_is_no_news_to_it() -> None:
    own = status("/memory/episodic_node", 2, "slow")
    own.hardware_id = HARDWARE_ID
    assert heard("diagnostics", array(own)) == []


def goal(number: int, code: int, since_s: int = 0) -> SimpleNamespace:
    stamp = SimpleNamespace(sec=since_s, nanosec=0)
    info = SimpleNamespace(goal_id=SimpleNamespace(uuid=[number] * 16), stamp=stamp)
    return SimpleNamespace(goal_info=info, status=code)


def goals(*items: SimpleNamespace) -> SimpleNamespace:
    return SimpleNamespace(status_list=list(items))


def test_goal_is_told_when_it_is_executed_and_when_it_ends() -> None:
    """1 accepted, 2 executing, 3 canceling, 5 canceled."""
    lists = [goals(goal(7, code)) for code in (1, 2, 2, 3, 5, 5)]
    assert heard("action", *lists) == ["navigate_to_pose: executing", "navigate_to_pose: canceled"]


def test_goal_whose_beginning_was_not_heard_does_not_end() -> None:
    assert heard("action", goals(goal(6, 4), goal(7, 2)), goals(goal(6, 4), goal(7, 6))) == [
        "navigate_to_pose: executing",
        "navigate_to_pose: aborted",
    ]


EXECUTING = ("navigate_to_pose: executing", 100.5)


@pytest.mark.parametrize(
    ("before", "told"),
    [
        (EXECUTING, ["navigate_to_pose: aborted"]),
        (("navigate_to_pose: succeeded", 100.5), []),
        (("navigate_to_pose: executing", 49.0), []),
        (("navigate_to_pose: executing", 9000.0), []),
        (None, []),
    ],
    ids=["it went on", "it had ended", "another one went on", "time began anew", "no restart"],
)
def test_what_ended_during_a_restart_is_told_once(
    before: tuple[str, float] | None, told: list[str]
) -> None:
    """Goal 7 was accepted at 100 s, before it was recorded; 6 and 8 are other ones."""
    message = goals(goal(6, 4, 50), goal(7, 6, 100), goal(8, 4, 110))
    assert heard("action", message, message, goals(goal(6, 4, 50)), before=before) == told


def test_goal_that_goes_on_after_a_restart_is_told_to_end_and_not_to_begin_again() -> None:
    lists = [goals(goal(6, 4, 50), goal(7, code, 100)) for code in (2, 2, 4, 4)]
    assert heard("action", *lists, before=EXECUTING) == ["navigate_to_pose: succeeded"]


def test_action_is_named_without_its_namespace() -> None:
    assert action_of("/robot_1/dock/_action/status") == "dock"


def test_layers_of_the_body_can_be_told() -> None:
    names = [*READY, "body_motor_current", "detections"]
    found = [name for name in names if is_interoceptive(name)]
    assert found == ["battery", "diagnostics", "body_motor_current"]
