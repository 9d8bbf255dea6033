"""A question is data: it never breaks the search, and finds the texts that have its words."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_nodes.errors import InputError
from memory_nodes.store.ranking.word_query import (
    MAX_QUERY_CHARS,
    MAX_SCORED,
    MAX_TERMS,
    match_expression,
    query_words,
    search_words,
)

TABLES = """
CREATE TABLE text (text_key INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE VIRTUAL TABLE text_words USING fts5(
    text, content='text', content_rowid='text_key',
    tokenize='porter unicode61 remove_diacritics 2'
);
"""


def _memory(*texts: str) -> sqlite3.Connection:
    """Texts 1, 2, ... and their index."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(TABLES)
    connection.executemany("INSERT INTO text VALUES (?, ?)", enumerate(texts, start=1))
    connection.execute("INSERT INTO text_words (rowid, text) SELECT text_key, text FROM text")
    return connection


def _matching(connection: sqlite3.Connection, question: str) -> list[int]:
    expression = match_expression(question)
    found = connection.execute(
        "SELECT rowid FROM text_words WHERE text_words MATCH ? ORDER BY rowid", (expression,)
    )
    return [row[0] for row in found]


def _keys(found: Sequence[tuple[int, float]]) -> list[int]:
    return [key for key, _ in found]


# What FTS5 gives a meaning to, what breaks strings, and letters of many scripts.
FRAGMENTS = st.sampled_from(
    [
        *("AND", "OR", "NOT", "NEAR(", "NEAR(a b, 2)", "text:", "- text:", "^", "*", "+", "{", ")"),
        *('"', '""', "'", "mug", "a-b", "mug*", "\0", "\ud800", "\U0001f9ef", "消火器", "จาน"),
        *("é", "e\u0301", "İ", "ß", "हिन्दी", "\u0301", "½", "_", "\\", ";--", "\ufeff"),
    ]
)
QUESTIONS = st.lists(FRAGMENTS | st.text(), max_size=12).map(" ".join) | st.lists(FRAGMENTS).map(
    "".join
)
LIBRARY = _memory("red mug on the desk", "消火器 near the door", "Café AND bar", "NOT a text", "")


@settings(deadline=None)
@given(QUESTIONS | st.text(st.characters()))
def test_no_question_is_an_error(question: str) -> None:
    if match_expression(question):
        _matching(LIBRARY, question)
    assert len(search_words(LIBRARY, question, 3)) <= 3


@settings(deadline=None)
@given(QUESTIONS.filter(query_words), st.data())
def test_text_with_a_whole_word_of_the_question_is_found(
    question: str, data: st.DataObject
) -> None:
    word = data.draw(st.sampled_from(query_words(question)))
    memory = _memory(f"before {word} after", "before and after")
    memory.execute("CREATE VIRTUAL TABLE temp.token USING fts5vocab(main, text_words, 'row')")
    has_own_token = memory.execute("SELECT count(*) FROM token WHERE doc = 1").fetchone()[0] > 1
    if has_own_token:  # "and" is one; letters newer than FTS5's tables are none
        assert 1 in _matching(memory, question)
        assert 1 in _keys(search_words(memory, question, 2))


@pytest.mark.parametrize("question", ["", " ", "?!", '"*', "\0", "\ud800", "\U0001f9ef", "\u0301"])
def test_question_without_a_word_finds_nothing(question: str) -> None:
    assert match_expression(question) == ""
    assert search_words(LIBRARY, question, 3) == []


def test_each_word_is_searched_by_itself() -> None:
    assert match_expression('the "red" mug') == '"red" OR "mug"'
    assert _matching(_memory("a mug", "a red car", "a door"), "red mug") == [1, 2]


def test_operators_are_words() -> None:
    memory = _memory("near the bin", "nothing here", "cup")
    assert _matching(memory, "cup NEAR(bin, 2)") == [1, 3]
    assert _matching(memory, "NOT cup") == [3]


def test_stop_words_are_searched_where_there_is_nothing_else() -> None:
    assert query_words("Where is the mug?") == ["mug"]
    assert _matching(_memory("it is there", "a mug"), "Where is it?") == [1]


def test_inflected_words_find_each_other() -> None:
    memory = _memory("a fire extinguisher", "two CAFÉS", "İstanbul", "straße")
    for question, found in (("extinguishers", 1), ("extinguish", 1), ("cafe", 2)):
        assert _matching(memory, question) == [found]
    assert _matching(memory, "istanbul") == _matching(memory, "İstanbul") == [3]
    assert _matching(memory, "STRAßE") == [4]


def test_word_with_marks_is_one_word() -> None:
    memory = _memory("हिन्दी", "ह", "न")
    assert _matching(memory, "हिन्दी") == [1]


def test_two_forms_of_a_word_count_once() -> None:
    assert len(query_words("mug mugs MUG")) == 1


def test_beginning_of_a_run_without_spaces_is_found() -> None:
    memory = _memory("消火器は赤い", "火", "소화기가 있다")
    assert _matching(memory, "消火器") == [1]
    assert _matching(memory, "소화기") == [3]
    assert _keys(search_words(memory, "消火器", 5)) == [1]


def test_beginning_of_a_word_is_found_only_where_no_text_has_the_word() -> None:
    memory = _memory("Feuerlöscher", "carpet", "car", "carton")
    assert _keys(search_words(memory, "Feuer", 5)) == [1]
    assert _keys(search_words(memory, "car", 5)) == [3]
    assert _keys(search_words(memory, "fe", 5)) == []


def test_long_question_is_cut_and_its_longest_words_are_kept() -> None:
    words = ["b" * length + "x" for length in range(1, 60)]
    assert query_words(" ".join(words)) == words[::-1][:MAX_TERMS]
    assert query_words("x" * MAX_QUERY_CHARS + " mug") == ["x" * MAX_QUERY_CHARS]


def test_of_20_mb_only_the_first_page_is_read() -> None:
    page = 'mug "OR ' * (MAX_QUERY_CHARS // 8)
    assert len(page) == MAX_QUERY_CHARS
    assert query_words(page + "car " * 5_000_000) == ["mug"]
    assert _keys(search_words(LIBRARY, page + "desk " * 4_000_000, 3)) == [1]


def _bm25(texts: Sequence[str], question: str) -> list[tuple[int, float]]:
    """Okapi bm25 by hand, for texts and a question of whole words in lower case."""
    documents = [text.split() for text in texts]
    mean = sum(map(len, documents)) / len(documents)
    scores = []
    for key, document in enumerate(documents, start=1):
        score = 0.0
        for word in question.split():
            having = sum(word in other for other in documents)
            weight = math.log((len(documents) - having + 0.5) / (having + 0.5))
            count = document.count(word)
            norm = 1.2 * (1 - 0.75 + 0.75 * len(document) / mean)
            score += max(weight, 1e-6) * count * 2.2 / (count + norm)
        if score > 0.0:
            scores.append((key, score))
    return sorted(scores, key=lambda item: (-item[1], -item[0]))


@settings(deadline=None, max_examples=50)
@given(
    st.lists(
        st.lists(st.sampled_from("red mug desk door car blue".split()), min_size=1, max_size=6),
        min_size=1,
        max_size=20,
    ),
    st.lists(st.sampled_from("red mug desk".split()), min_size=1, max_size=3, unique=True),
)
def test_rare_words_are_ranked_by_bm25(rows: list[list[str]], asked: list[str]) -> None:
    texts = [" ".join(row) for row in rows]
    expected = _bm25(texts, " ".join(asked))
    found = search_words(_memory(*texts), " ".join(asked), len(texts))
    assert sorted(_keys(found)) == sorted(_keys(expected))
    assert [score for _, score in found] == pytest.approx([score for _, score in expected])


MANY = 2 * MAX_SCORED


def test_frequent_word_decides_between_texts_with_the_rare_one() -> None:
    memory = _memory(*["blue mug", "red mug", "blue mug"], *["red car"] * MANY, *["door"] * MANY)
    assert _keys(search_words(memory, "red mug", 3)) == [2, 3, 1]


def test_frequent_word_counts_only_for_the_texts_that_have_it() -> None:
    memory = _memory("red mug", "desk x", *["red car"] * MANY, *["door x"] * MANY)
    assert _keys(search_words(memory, "mug desk red", 2)) == [1, 2]


def test_text_with_the_rare_word_keeps_its_score_among_the_newest_with_the_frequent() -> None:
    memory = _memory(*["door"] * MANY, *["red car"] * MANY, "red mug", "red car")
    found = search_words(memory, "red mug", 2)
    assert _keys(found) == [2 * MANY + 1, 2 * MANY + 2]
    assert found[0][1] > 2 * found[1][1]


def test_texts_with_all_frequent_words_come_first_however_old() -> None:
    memory = _memory("red mug", *["red car", "blue mug", "blue door"] * MANY)
    found = search_words(memory, "red mug", 3)
    assert found[0][0] == 1
    assert found[0][1] > found[1][1]
    assert len(found) == 3


def test_of_texts_that_fit_equally_the_newest_come_first() -> None:
    memory = _memory(*["red car"] * MANY, *["door"] * MANY)
    assert _keys(search_words(memory, "red car", 3)) == [MANY, MANY - 1, MANY - 2]


def test_rarer_of_two_frequent_words_fills_the_answer() -> None:
    memory = _memory(*["red door", "blue door", "red car", "blue door", "blue door"] * MANY)
    texts = dict(memory.execute("SELECT text_key, text FROM text"))
    assert {texts[key] for key in _keys(search_words(memory, "door car", 5))} == {"red car"}


def test_rare_word_is_found_beside_a_frequent_one() -> None:
    memory = _memory("mug", *["red car"] * MANY, *["door"] * MANY)
    assert _keys(search_words(memory, "red mug", 2)) == [1, MANY + 1]


def test_word_in_every_text_still_finds() -> None:
    memory = _memory(*["red car"] * MANY)
    assert _keys(search_words(memory, "red", 2)) == [MANY, MANY - 1]


def test_frequent_texts_that_are_few_among_old_keys_are_found() -> None:
    memory = _memory(*["red car"] * MANY, *["door"] * MANY)
    memory.execute("INSERT INTO text VALUES (9000000000000, 'red mug')")
    memory.execute("INSERT INTO text_words (rowid, text) VALUES (9000000000000, 'red mug')")
    assert _keys(search_words(memory, "red", 1)) == [9_000_000_000_000]


def test_no_more_than_asked_for_is_found_and_a_negative_number_refused() -> None:
    memory = _memory("mug", "mug", "mug")
    assert len(search_words(memory, "mug", 2)) == 2
    assert search_words(memory, "mug", 0) == []
    with pytest.raises(InputError, match="-1 texts"):
        search_words(memory, "mug", -1)


def test_connection_may_give_rows_by_name() -> None:
    memory = _memory("red mug", *["red car"] * MANY, "door")
    memory.row_factory = sqlite3.Row
    assert _keys(search_words(memory, "red mug", 2)) == [1, MANY + 1]


def test_frequent_words_that_never_meet_are_found_apart() -> None:
    memory = _memory(*["red car", "blue door", "green door"] * MANY)
    texts = dict(memory.execute("SELECT text_key, text FROM text"))
    assert {texts[key] for key in _keys(search_words(memory, "car door", 5))} == {"red car"}


def test_nothing_is_found_in_an_empty_memory() -> None:
    assert search_words(_memory(), "red mug", 3) == []
