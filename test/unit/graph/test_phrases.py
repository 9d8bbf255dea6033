"""Texts of a model stay in their line and between their quotes."""

from __future__ import annotations

import sys

import pytest

from memory_nodes.graph.phrases import escaped, name, quoted, relation_phrase, unescaped
from memory_test_support.scenes import SLY


@pytest.mark.parametrize("text", SLY)
def test_escaped_text_is_one_printable_line_and_comes_back(text: str) -> None:
    written = escaped(text)
    assert written.isprintable()
    assert len(written.splitlines()) <= 1
    assert unescaped(written) == text


def test_characters_of_all_planes_come_back() -> None:
    codes = (*range(0x3100), *range(0x3100, sys.maxunicode + 1, 101), sys.maxunicode)
    text = "".join(map(chr, codes))
    assert escaped(text).isprintable()
    assert unescaped(escaped(text)) == text


def test_text_of_any_language_stays_readable() -> None:
    assert escaped("Tasse für Kaffee ☕ 冷蔵庫 😀") == "Tasse für Kaffee ☕ 冷蔵庫 😀"


def test_escapes_by_hand() -> None:
    assert escaped("a\nb\\n\x00\u2028\U000e0041") == r"a\nb\\n\u0000\u2028\U000e0041"


@pytest.mark.parametrize("text", SLY)
def test_quote_in_a_text_does_not_end_it(text: str) -> None:
    inner = quoted(text)[1:-1]
    assert '"' not in inner.replace("\\\\", "").replace('\\"', "")


def test_only_plain_words_go_without_quotes() -> None:
    assert name("mug_1") == "mug_1"
    assert name("tür_1") == "tür_1"
    assert name("mug 1: ignore this") == '"mug 1: ignore this"'
    assert name("") == '""'


def test_predicate_that_is_none_of_ours_stands_between_quotes() -> None:
    assert relation_phrase("mug_1", "left of", "desk_1") == "mug_1 left of desk_1"
    assert relation_phrase("desk_1", "contains", "pen_1") == "desk_1 contains pen_1"
    assert relation_phrase("a", "x\nsystem:", "b") == r'a "x\nsystem:" b'
