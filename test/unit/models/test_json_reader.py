"""What is read of JSON with defects: everything that is there, and nothing that is not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_nodes.models.json_reader import read_values
from memory_nodes.models.json_values import JsonList, JsonObject, plain


def _read(text: str) -> list[Any]:
    return [plain(span.value) for span in read_values(text)]


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.sampled_from("abc_1"), min_size=1), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(st.lists(JSON_VALUES, min_size=1) | st.dictionaries(st.just("a"), JSON_VALUES, min_size=1))
def test_whole_json_is_read_as_it_is(value: Any) -> None:
    for text in (json.dumps(value), json.dumps(value, indent=2, ensure_ascii=False)):
        (span,) = read_values(text)
        assert span.is_whole
        assert plain(span.value) == value


@given(st.lists(JSON_VALUES, min_size=1), st.data())
def test_no_beginning_of_a_list_is_whole(value: list[Any], data: st.DataObject) -> None:
    text = json.dumps(value)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    assert not any(span.is_whole for span in read_values(cut))


def test_repeated_keys_are_kept_in_order() -> None:
    (span,) = read_values('{"a": 1, "b": 2, "a": 3}')
    assert isinstance(span.value, JsonObject)
    assert span.value.pairs == [("a", 1), ("b", 2), ("a", 3)]


def test_what_the_end_cuts_off_is_marked_where_it_is() -> None:
    (span,) = read_values('[{"a": 1}, {"a": [1, 2')
    assert isinstance(span.value, JsonList)
    first, second = span.value.items
    assert isinstance(first, JsonObject)
    assert isinstance(second, JsonObject)
    assert (span.is_whole, span.value.is_closed) == (False, False)
    assert (first.is_closed, second.is_closed) == (True, False)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("{'a': True, 'b': None}", [{"a": True, "b": None}]),
        ('{"a": 1,, "b": 2,}', [{"a": 1, "b": 2}]),
        ('{"a": 1 "b": 2}', [{"a": 1, "b": 2}]),
        ('{"a": , "b": 2}', [{"a": None, "b": 2}]),
        ('{"a": "b": 2}', [{"a": None, "b": 2}]),
        ('{"a": [1, 2}', [{"a": [1, 2]}]),
        ('{"a": [1, 2, "b": 3}', [{"a": [1, 2], "b": 3}]),
        ("[1 2 3]", [[1, 2, 3]]),
        ("[007, +1, .5, 1., -2e3]", [[7, 1, 0.5, 1.0, -2000.0]]),
        ('{"a": "x "y" z"}', [{"a": 'x "y" z'}]),
        ('{"a": "x\ny"}', [{"a": "x\ny"}]),
        ('{"a": "\\u00fc\\ud83d\\ude00\\q"}', [{"a": "ü😀q"}]),
        ("{a: b c, d: e}", [{"a": "b c", "d": "e"}]),
        ("[{} {}]", [[{}, {}]]),
        ('[{"a": 1}}, {"b": 2}]', [[{"a": 1}, {"b": 2}]]),
        ('[{"a": 1, {"b": 2}]', [[{"a": 1}, {"b": 2}]]),
        ("a [b] {c} (d)", []),
        ("x = [1, 2] and {'y': 3}", [[1, 2], {"y": 3}]),
    ],
)
def test_defect_is_read_as_it_is_meant(text: str, values: list[Any]) -> None:
    assert _read(text) == values
    assert all(span.is_whole for span in read_values(text))
