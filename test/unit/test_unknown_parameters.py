"""What a user gives that nobody declares is named, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_nodes.ros.unknown_parameters import unknown_parameters

DETECTOR = "/memory/detector_node"
OF_DETECTOR = ("chunk_size", "call_timeout_s", "memory_dir", "use_sim_time")
OF_EPISODIC = ("layers", "layer.speech.topic", "memory_dir")


def told(text: str, tmp_path: Path, node: str = DETECTOR) -> list[str]:
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    own = OF_DETECTOR if node == DETECTOR else OF_EPISODIC
    arguments = ["node", "--ros-args", "--params-file", str(file), "--"]
    return list(unknown_parameters(arguments, node, own))


@pytest.mark.parametrize(
    "section",
    [
        "/memory/detector_node: {ros__parameters: %s}",
        "/**/detector_node: {ros__parameters: %s}",
        "/*/detector_node: {ros__parameters: %s}",
        "memory: {detector_node: {ros__parameters: %s}}",
        "/**: {ros__parameters: %s}",
    ],
)
def test_misspelled_parameter_is_named_with_what_is_meant(section: str, tmp_path: Path) -> None:
    (line,) = told(section % "{chunk_sise: 4, chunk_size: 4}", tmp_path)
    assert line.startswith("mine.yaml: there is no parameter chunk_sise (/")
    assert line.endswith("); is chunk_size meant?")


@pytest.mark.parametrize(
    "section",
    [
        "/detector_node",
        "/other/detector_node",
        "/*",
        "/memory/*/detector_node",
        "/memory/goal_node",
    ],
)
def test_section_of_other_nodes_is_passed_over(section: str, tmp_path: Path) -> None:
    assert not told(f"{section}: {{ros__parameters: {{chunk_sise: 4}}}}", tmp_path)


@pytest.mark.parametrize("section", ["/**", DETECTOR])
@pytest.mark.parametrize(
    "values",
    [
        "memory_dir: /tmp",
        "recall_timeout_s: 3.0",  # of goal_node, and nearly call_timeout_s
        "use_sim_time: true",
        "qos_overrides: {/memory/image: {subscription: {depth: 5}}}",
        "qos_overrides./memory/image.subscription.depth: 5",
        "layer.body_arm.topic: /arm",
        "layer: {body_arm: {min_change: 5.0}}",
    ],
)
def test_parameter_of_any_node_of_the_suite_is_known(
    values: str, section: str, tmp_path: Path
) -> None:
    assert not told(f"{section}: {{ros__parameters: {{{values}}}}}", tmp_path)


def test_parameter_for_all_nodes_that_is_like_none_of_ours_is_for_others(tmp_path: Path) -> None:
    text = "{ros__parameters: {robot_radius: 0.3}}"
    assert not told(f"/**: {text}", tmp_path)
    (line,) = told(f"{DETECTOR}: {text}", tmp_path)
    assert line == "mine.yaml: there is no parameter robot_radius (/memory/detector_node)"


def test_layer_that_is_not_among_the_layers_is_named_by_the_node_that_has_them(
    tmp_path: Path,
) -> None:
    (line,) = told(
        "/**: {ros__parameters: {layer.speach.topic: /said, layer.speech.topic: /said}}",
        tmp_path,
        node="/memory/episodic_node",
    )
    assert "layer.speach.topic" in line
    assert line.endswith("is layer.speech.topic meant?")


def test_command_line_is_read_as_far_as_it_is_for_ros() -> None:
    arguments = [
        *("node", "-p", "before:=1", "--ros-args", "-r", "__ns:=/memory", "-p", "chunk_sise:=3"),
        *("--param", "detector_node:robot_radius:=1", "-p", "goal_node:others:=1", "--"),
        *("-p", "after:=1"),
    ]
    assert list(unknown_parameters(arguments, DETECTOR, OF_DETECTOR)) == [
        "the command line: there is no parameter chunk_sise (/**); is chunk_size meant?",
        "the command line: there is no parameter robot_radius (/**/detector_node)",
    ]


def test_file_that_is_empty_or_has_unknown_tags_gives_nothing(tmp_path: Path) -> None:
    assert not told("", tmp_path)
    assert not told(f"{DETECTOR}: {{ros__parameters: {{chunk_sise: !degrees 4}}}}", tmp_path)
    assert not told(f"{DETECTOR}: {{ros__parameters: }}", tmp_path)
