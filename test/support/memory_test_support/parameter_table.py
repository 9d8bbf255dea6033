"""docs/parameters.md and the file of names, from what the nodes declare; writes them when run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import Field
from functools import cache
from pathlib import Path
from typing import Any

import rclpy

import memory_nodes.ros
from memory_nodes.episodic.layers.config import READY, LayerConfig
from memory_nodes.nodes.association_node import AssociationNode
from memory_nodes.nodes.detector_node import DetectorNode
from memory_nodes.nodes.episodic_node import EpisodicNode
from memory_nodes.nodes.goal_node import GoalNode
from memory_nodes.nodes.marker_node import MarkerNode
from memory_nodes.nodes.query_node import QueryNode
from memory_nodes.parameters import configurations, declared
from memory_nodes.ros.unknown_parameters import ANY_NAME, NAMES_FILE
from memory_nodes.suite import SuiteConfig
from memory_test_support.domain import own_domain

NODES = (DetectorNode, AssociationNode, EpisodicNode, QueryNode, GoalNode, MarkerNode)
COMMAND = "./dev shell python -m memory_test_support.parameter_table"
PATH = Path(__file__).resolve().parents[3] / "docs" / "parameters.md"
NAMES_PATH = Path(memory_nodes.ros.__path__[0]) / NAMES_FILE
HEADER = f"""\
# Parameters

Made from the declarations in the code, so change them there:
`{COMMAND}` writes this page anew.

`config/memory.yaml` names those that users are likely to change; a launch argument or
`-p NAME:=VALUE` wins over it. They are read at start. Those marked "live" can be changed while the
node runs, `ros2 param set /memory/goal_node dry_run true`, until it ends. Those of "every node"
must be the same in all of them; `use_sim_time`, of ROS itself, is one more.
"""
LAYERS = """\
## Layers of episodic_node

What is recorded besides pictures. Each name in `layers` has the parameters of the first table; the
second says where the ready ones differ from its defaults.
"""
LAYER_PREFIX = f"layer.{ANY_NAME}."
NOTHING = "None of its own.\n"
LAYER_COLUMNS = ("layer", "differs in")
COLUMNS = ("name", "default", "unit", "range or choices", "live", "meaning")


def page() -> str:
    """The whole page: one table for what every node has, and one for each node."""
    sections = [HEADER, "## Every node\n", _table([SuiteConfig])]
    for node, configs in _configs_by_node().items():
        sections += [f"## {node}\n", _table(configs) if configs else NOTHING]
    sections += [LAYERS, _table([LayerConfig], LAYER_PREFIX), _ready_layers()]
    return "\n".join(sections)


def names() -> str:
    """The names of all parameters, one in a line."""
    plain = {
        item.name
        for configs in ([SuiteConfig], *_configs_by_node().values())
        for config in configs
        for item in declared(config)
    }
    of_layers = {LAYER_PREFIX + item.name for item in declared(LayerConfig)}
    return "".join(f"{name}\n" for name in sorted(plain | of_layers))


@cache
def _configs_by_node() -> dict[str, list[type[Any]]]:
    found = {}
    with own_domain() as domain_id:
        context = rclpy.Context()
        rclpy.init(context=context, domain_id=domain_id)
        for kind in NODES:
            node = kind(context=context)
            found[node.get_name()] = list(_configs(node))
            node.destroy_node()
        rclpy.shutdown(context=context)
    return found


def _configs(node: object) -> Iterator[type[Any]]:
    """The configuration classes that a node holds, besides that of every node."""
    for _, config in configurations(node):
        if not isinstance(config, SuiteConfig):
            yield type(config)


def _table(configs: list[type[Any]], prefix: str = "") -> str:
    rows = [_row(item, prefix) for config in configs for item in declared(config)]
    return _drawn([COLUMNS, *rows])


def _drawn(rows: list[tuple[str, ...]]) -> str:
    """A table; its first row is the heading."""
    lines = [rows[0], tuple("---" for _ in rows[0]), *rows[1:]]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _ready_layers() -> str:
    rows = []
    for name, config in READY.items():
        values = {item.name: getattr(config, item.name) for item in declared(LayerConfig)}
        differs = [
            f"`{item.name}` {_value(values[item.name])}"
            for item in declared(LayerConfig)
            if values[item.name] != item.default
        ]
        rows.append((f"`{name}`", ", ".join(differs)))
    return _drawn([LAYER_COLUMNS, *rows])


def _row(item: Field[Any], prefix: str) -> tuple[str, ...]:
    details = item.metadata
    cells = (
        f"`{prefix}{item.name}`",
        _value(item.default),
        details["unit"],
        _limits(item),
        "live" if details["is_dynamic"] else "",
        str(details["meaning"]),
    )
    return tuple(cell.replace("|", "\\|") for cell in cells)


def _limits(item: Field[Any]) -> str:
    low, high, choices = (item.metadata[key] for key in ("low", "high", "choices"))
    if choices:
        return ", ".join(_value(choice) for choice in choices)
    if low is not None and high is not None:
        return f"{low} to {high}"
    if low is not None:
        return f"at least {low}"
    return f"at most {high}" if high is not None else ""


def _value(value: object) -> str:
    """As it is written in YAML."""
    if isinstance(value, tuple):
        return f"`[{', '.join(value)}]`"
    if isinstance(value, str):
        return f'`"{value}"`'
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


if __name__ == "__main__":
    for path, text in ((PATH, page()), (NAMES_PATH, names())):
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path}")
