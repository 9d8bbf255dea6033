"""Parameters of the stand-ins: taken, refused in one line, and listed; skipped without ROS."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import pytest

pytest.importorskip("rclpy")

from memory_nodes.parameters import declared, parameter
from memory_test_support.child import SUPPORT
from memory_test_support.stand_in_parameters import ParameterError, checked, help_of


@dataclass(frozen=True)
class Options:
    """An example."""

    speed: float = parameter(10.0, "how fast", unit="m/s", low=0.0)
    count: int = parameter(-1, "how many", low=-1)
    raw: bool = parameter(False, "not cooked")
    mode: str = parameter("slow", "how", choices=("slow", "fast"))
    start: float = parameter(math.nan, "where; nan: anywhere", unit="m")


FIELDS = {item.name: item for item in declared(Options)}


@pytest.mark.parametrize(("value", "taken"), [(3, 3.0), (0, 0.0), (2.5, 2.5)])
def test_whole_number_is_a_double_too(value: float, taken: float) -> None:
    given: Any = checked(FIELDS["speed"], value)
    assert (given, type(given)) == (taken, float)


def test_not_a_number_is_taken_only_where_it_is_the_default() -> None:
    start: Any = checked(FIELDS["start"], math.nan)
    assert math.isnan(start)
    with pytest.raises(ParameterError, match="speed is nan, give a finite number such as"):
        checked(FIELDS["speed"], math.nan)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("speed", "fast", "speed is 'fast', give a number such as 10.0"),
        ("speed", True, "speed is True, give a number such as 10.0"),
        ("speed", -1, "speed is -1.0, give 0.0 or more"),
        ("count", 1.5, "count is 1.5, give a whole number such as -1"),
        ("count", True, "count is True, give a whole number such as -1"),
        ("raw", 1, "raw is 1, give true or false such as false"),
        ("mode", "warp", "mode is 'warp', give one of slow, fast"),
        ("mode", None, "mode is None, give a text such as slow"),
    ],
)
def test_value_that_cannot_be_is_named_with_its_cure(
    name: str, value: object, message: str
) -> None:
    with pytest.raises(ParameterError) as caught:
        checked(FIELDS[name], value)
    assert str(caught.value) == message


def test_help_has_one_line_a_parameter_with_its_unit() -> None:
    assert help_of(Options).splitlines()[1:] == [
        "  speed  10.0   how fast [m/s]",
        "  count  -1     how many",
        "  raw    false  not cooked",
        "  mode   slow   how: slow, fast",
        "  start  nan    where; nan: anywhere [m]",
    ]


@pytest.mark.parametrize(
    ("program", "given", "line"),
    [
        ("tour_player", "speed:=fast", "speed is 'fast', give a number such as 10.0"),
        ("tour_player", "last_frame:=75", "last_frame is 75, give -1 to 74"),
        ("tour_player", "first_frame:=80", "first_frame is 80, give 0 to 74 (last_frame)"),
        ("simulated_base", "time_scale:=quick", "time_scale is 'quick', give a number such as 1.0"),
        (
            *("simulated_base", "behavior:=dance"),
            "behavior is 'dance', give one of succeed, short, reject, inactive, abort, hang, "
            "blind, lose",
        ),
    ],
)
def test_stand_in_refuses_a_parameter_in_one_line_with_exit_code_1(
    program: str, given: str, line: str, ros_domain: int
) -> None:
    command = [sys.executable, str(SUPPORT / "bin" / program), "--ros-args", "-p", given]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 1
    assert ended.stderr.splitlines() == [f"{program}: {line}"]
