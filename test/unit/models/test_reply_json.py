"""The JSON in what a model wrote."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_nodes.errors import ReplyError
from memory_nodes.models.reply_json import parse_json


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ("[1, 2]", [1, 2]),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('Sure! {"a": 1} I hope this helps.', {"a": 1}),
        ('In [0] and [1] there is {"a": [1, 2]}.', {"a": [1, 2]}),
        ('{a mug} {"a": 1}', {"a": 1}),
        ('<think>{"a": 0, "b": 0}</think>{"a": 1}', {"a": 1}),
        ('{"a": "a [bracket] and a {brace}"}', {"a": "a [bracket] and a {brace}"}),
        ('{"a": 1} {"b": 2}', {"a": 1}),
        ('{"a": "\\ud800\\u0000"}', {"a": "? "}),
    ],
)
def test_json_is_found_wherever_it_stands(text: str, value: Any) -> None:
    assert parse_json(text) == value


@pytest.mark.parametrize(
    "text", ["", "no", '"text"', "5", '{"a": ', "<think>[1]", "[" * 50_000, '{"a": ' + "1" * 5000]
)
def test_reply_without_a_whole_object_or_list_is_refused(text: str) -> None:
    with pytest.raises(ReplyError, match=f"{len(text)} characters"):
        parse_json(text)


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        value = parse_json(text)
    except ReplyError:
        return
    assert isinstance(value, dict | list)
