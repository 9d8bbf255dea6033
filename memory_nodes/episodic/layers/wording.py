"""Messages that no template can put into words: their type has a way of its own.

Nothing here knows ROS: fields are asked for by their names, and codes are those of the messages.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memory_nodes.records import NS_PER_S
from memory_nodes.suite import HARDWARE_ID

_POWER_SUPPLY = {1: "charging", 2: "discharging", 3: "not charging", 4: "full"}
"""sensor_msgs/BatteryState, power_supply_status."""
_LEVELS = {1: "warning", 2: "error"}
"""diagnostic_msgs/DiagnosticStatus; 3, STALE, says that nobody looks, not that something is."""
GOAL_STARTED = {2: "executing"}
GOAL_ENDED = {4: "succeeded", 5: "canceled", 6: "aborted"}
"""action_msgs/GoalStatus."""


@dataclass(frozen=True)
class Said:
    """A text for an observation."""

    text: str
    """Empty: what was said under the key is over."""
    key: str = ""
    """Only texts under one key are compared for changes."""
    confidence: float = 1.0
    is_sequel: bool = False
    """It says nothing unless something was recorded under its key before."""
    since_ns: int | None = None
    """When that began which it tells of; None for what has no end."""


def battery(message: Any, topic: str) -> Iterator[Said]:
    """'battery 43 %, discharging'; the voltage where the percentage is not measured."""
    state = _POWER_SUPPLY.get(int(message.power_supply_status))
    charge, voltage_v = float(message.percentage), float(message.voltage)
    if math.isfinite(charge):
        level = f"{100.0 * charge:.0f} %"
    elif math.isfinite(voltage_v):
        level = f"{voltage_v:.1f} V"
    else:
        return
    yield Said(", ".join(part for part in (f"battery {level}", state) if part))


def diagnostics(message: Any, topic: str) -> Iterator[Said]:
    """Warnings and errors, and all temperatures; without what the memory says of itself."""
    for status in message.status:
        if status.hardware_id == HARDWARE_ID:
            continue
        level = _LEVELS.get(int.from_bytes(status.level, "little"))
        text = f"{level}: {status.name}: {status.message}" if level is not None else ""
        yield Said(text, key=status.name)
        for item in status.values:
            if "temperature" in item.key.casefold() and item.value.strip():
                key = f"{status.name}: {item.key}"
                yield Said(f"{key} {item.value.strip()}", key=key)


def goals(message: Any, topic: str) -> Iterator[Said]:
    """'navigate_to_pose: executing', and how it ends if its beginning was recorded."""
    action = action_of(topic)
    for item in message.status_list:
        status = int(item.status)
        said = GOAL_STARTED.get(status) or GOAL_ENDED.get(status)
        if said is not None:
            accepted = item.goal_info.stamp
            yield Said(
                f"{action}: {said}",
                key=goal_id_of(item),
                is_sequel=status in GOAL_ENDED,
                since_ns=int(accepted.sec) * NS_PER_S + int(accepted.nanosec),
            )


def is_beginning(text: str) -> bool:
    """Whether a text says that a goal is executed."""
    return text.rpartition(": ")[2] in GOAL_STARTED.values()


def goal_id_of(status: Any) -> str:
    """The id of the goal that an action_msgs/GoalStatus is about."""
    return bytes(bytearray(status.goal_info.goal_id.uuid)).hex()


def action_of(status_topic: str) -> str:
    """The name of the action whose status topic this is, without its namespace."""
    return status_topic.removesuffix("/_action/status").rpartition("/")[2]


BY_TYPE: Mapping[str, Callable[[Any, str], Iterator[Said]]] = {
    "sensor_msgs/msg/BatteryState": battery,
    "diagnostic_msgs/msg/DiagnosticArray": diagnostics,
    "action_msgs/msg/GoalStatusArray": goals,
}
"""They take a message and the name of its topic."""
