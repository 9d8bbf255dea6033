"""Which layers there are, and how each comes from its topic."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from memory_nodes.errors import ConfigurationError
from memory_nodes.parameters import parameter

STRING = "std_msgs/msg/String"
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")


@dataclass(frozen=True)
class LayerConfig:
    """One layer: a topic, the type of its messages, and what is recorded of them."""

    topic: str = parameter("", "topic of the layer; relative ones are in the suite's namespace")
    type: str = parameter(STRING, "type of its messages, as package/msg/Name")
    template: str = parameter(
        "{data}",
        "text of an observation; {battery.level:.1f} and {names[0]} are fields of the message; "
        "empty: as messages of this type are put into words, which some types need",
    )
    confidence: str = parameter("", "field with the confidence, from 0 to 1; empty: it is 1")
    min_interval_s: float = parameter(
        0.0, "observations that come sooner after another are left out", unit="s", low=0.0
    )
    only_changes: bool = parameter(
        True, "a text that says the same as the one before is not recorded again"
    )
    min_change: float = parameter(
        0.0, "texts whose numbers differ by less say the same; in the unit of the text", low=0.0
    )


READY: Mapping[str, LayerConfig] = MappingProxyType(
    {
        "description": LayerConfig("descriptions"),
        "place": LayerConfig("place"),
        "human_presence": LayerConfig("human_presence"),
        "speech": LayerConfig("heard_speech", only_changes=False),
        "action": LayerConfig(
            "/navigate_to_pose/_action/status", "action_msgs/msg/GoalStatusArray", ""
        ),
        "goal": LayerConfig("goal_text", only_changes=False),
        "battery": LayerConfig(
            "/battery_state",
            "sensor_msgs/msg/BatteryState",
            "",
            min_interval_s=10.0,
            min_change=5.0,
        ),
        "diagnostics": LayerConfig(
            "/diagnostics", "diagnostic_msgs/msg/DiagnosticArray", "", min_change=5.0
        ),
        "text": LayerConfig("notes", only_changes=False),
    }
)
"""Layers that need no more than their name."""


@dataclass(frozen=True)
class LayersConfig:
    """Which layers are listened to."""

    layers: tuple[str, ...] = parameter(
        tuple(READY),
        "what is recorded besides pictures; layer.NAME.topic and the like say how; [''] for none",
    )
    layer_pose_timeout_s: float = parameter(
        2.0, "wall time an observation waits for the transform of its stamp", unit="s", low=0.0
    )

    @property
    def names(self) -> tuple[str, ...]:
        """The layers, each once. Raises ConfigurationError for what cannot be a name."""
        names = tuple(dict.fromkeys(name for name in self.layers if name))
        for name in names:
            if _NAME.fullmatch(name) is None:
                raise ConfigurationError(
                    f"layers: {name[:80]!r} cannot be a layer: give up to 64 lower-case letters, "
                    "digits and _, a letter first"
                )
        return names
