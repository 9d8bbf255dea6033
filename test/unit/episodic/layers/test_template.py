"""A message fills a template with its own fields, and can do nothing else."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

from memory_nodes.episodic.layers.template import Template, value_at
from memory_nodes.errors import ConfigurationError, InputError

MESSAGE = SimpleNamespace(
    data="hello",
    level=SimpleNamespace(voltage=12.345, count=3),
    names=["left", "right"],
    act=print,
)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{data}", "hello"),
        ("no field", "no field"),
        ("{level.voltage:.1f} V", "12.3 V"),
        ("{names[1]}: {level.count:d}", "right: 3"),
        ("{{data}} {data:>7}", "{data}   hello"),
    ],
)
def test_fields_are_filled_in(template: str, text: str) -> None:
    assert Template(template).fill(MESSAGE) == text


@pytest.mark.parametrize(
    "template",
    [
        "{data.__class__}",
        "{_data}",
        "{level._secret}",
        "{data!r}",
        "{}",
        "{0}",
        "{names[a]}",
        "{names[-1]}",
        "{data:{level.count}}",
        "{data:>999999999}",
        "{data.upper()}",
        "{data",
        "data}",
    ],
)
def test_what_is_no_plain_field_is_refused(template: str) -> None:
    with pytest.raises(ConfigurationError):
        Template(template)


def test_what_a_message_says_is_never_read_as_a_template() -> None:
    sly = SimpleNamespace(data="{level.voltage} {data.__class__}")
    assert Template("{data}").fill(sly) == "{level.voltage} {data.__class__}"


@pytest.mark.parametrize("path", ["nothing", "level.nothing", "data.upper", "act", "level[0]"])
def test_field_that_a_message_has_not_is_refused(path: str) -> None:
    with pytest.raises(InputError):
        value_at(MESSAGE, path)
    with pytest.raises(ConfigurationError, match=r"the template '\{"):
        Template("{" + path + "}").check(MESSAGE)


def test_format_that_does_not_fit_its_field_is_found_before_any_message_comes() -> None:
    with pytest.raises(ConfigurationError, match="data is 'hello'"):
        Template("{data:.1f}").check(MESSAGE)


def test_item_of_a_list_that_is_empty_so_far_may_come() -> None:
    Template("{names[7]}").check(MESSAGE)
    with pytest.raises(IndexError):
        Template("{names[7]}").fill(MESSAGE)


def test_number_that_is_none_is_said() -> None:
    assert Template("{data:.1f}").fill(SimpleNamespace(data=math.nan)) == "nan"
