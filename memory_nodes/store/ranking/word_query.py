"""Finds texts by the words of a question, which is data and never syntax.

The index is an FTS5 table ``text_words`` over ``text(text_key, text)``, with the tokenizer
``porter unicode61 remove_diacritics 2``: "extinguish" finds "extinguishers", "cafe" finds "Café".
It needs no ``prefix`` option, which would make the index almost three times as large: a prefix is
asked for only where a word has no text at all, and in scripts that write no spaces, whose runs are
one token.

Rare words are ranked by bm25, exactly. bm25 of a frequent word would read its whole list, half a
second at 400,000 texts, to tell texts apart by a weight near 0. So at most MAX_SCORED texts
are scored by it, and a frequent word only adds its weight to each text that has it:

- texts with a rare word: bm25 of the rare words, and the weights of the frequent words they have;
- the newest texts that have the rarest of the frequent words, the two rarest, and so on up to all.

Lost among frequent words alone is what bm25 makes of repetitions and lengths, texts without the
rarest of them, and texts older than the newest with the same words. Nothing is lost of a question
whose words are rare. What is not bounded is the search for frequent words that never meet: it
walks through their lists, 50 ms for two of 500,000 texts.
"""

from __future__ import annotations

import json
import math
import re
import sqlite3
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from memory_nodes.errors import InputError
from memory_nodes.words import STOP_WORDS, stem

MAX_QUERY_CHARS = 4096
"""Of a longer question the rest is not read."""
MAX_TERMS = 32
MIN_PREFIX_CHARS = 3
MAX_SCORED = 300
"""Texts that bm25 scores for one question; it takes about 2 us each."""

# Thai, Lao, Myanmar, Khmer, kana, Han and Hangul: a token is a run of words, or has endings.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)


@dataclass(frozen=True)
class _Term:
    expression: str
    count: int
    """Texts that have it, at most MAX_SCORED + 1."""
    weight: float
    """Its inverse document frequency among the texts since the oldest of those counted."""


def match_expression(text: str) -> str:
    """An FTS5 expression for texts that have any of a question's words; "" where it has none."""
    return _any_of([_expression(word) for word in query_words(text)])


def query_words(text: str) -> list[str]:
    """The words of a question that say something, each stem once, at most MAX_TERMS, the longest.

    Runs of letters, digits and marks. Stop words are left out unless there is nothing else.
    """
    kept = "".join(c if _is_of_a_word(c) else " " for c in text[:MAX_QUERY_CHARS])
    # one word of each stem: two would find the same texts, and count twice
    spoken = [word for word in kept.split() if any(map(str.isalnum, word))]
    found = {stem(word.casefold()): word for word in spoken}.values()
    telling = [word for word in found if word.casefold() not in STOP_WORDS]
    return sorted(telling or found, key=len, reverse=True)[:MAX_TERMS]


def search_words(connection: sqlite3.Connection, text: str, k: int) -> list[tuple[int, float]]:
    """Keys and scores of at most k texts, best first; of equal scores the newer, with higher key.

    The scores are bm25 with its sign turned, so that more is better. Raises InputError for a
    negative k, and sqlite3.Error where the tables cannot be read. It is several statements: inside
    a transaction they see the memory at one moment.
    """
    if k < 0:
        raise InputError(f"{k} texts are asked for, the least is 0")
    rare, frequent = _divided(_terms(connection, text))
    scores = _bm25(connection, _any_of(rare))
    if rare:
        for term in frequent:
            both = _all_of([f"({_any_of(rare)})", term.expression])
            for key in _newest(connection, both, MAX_SCORED):
                scores[key] = scores.get(key, 0.0) + term.weight
    for size in range(1, len(frequent) + 1):
        together = frequent[:size]
        weight = math.fsum(term.weight for term in together)
        keys = _newest(connection, _all_of([term.expression for term in together]), k)
        scores.update((key, max(weight, scores.get(key, 0.0))) for key in keys)
        if not keys:
            break  # then none has these and one more
    return sorted(scores.items(), key=lambda item: (item[1], item[0]), reverse=True)[:k]


def search_words_among(
    connection: sqlite3.Connection, text: str, text_keys: Sequence[int], k: int
) -> list[tuple[int, float]]:
    """As ``search_words``, of these texts only: all that have a word are scored by bm25.

    It reads the lists of the words to their ends: for when others have not found enough.
    """
    expression = match_expression(text)
    if not expression:
        return []
    return [
        (row[0], row[1])
        for row in connection.execute(
            # + keeps SQLite from asking the index for each of the texts, one by one
            "SELECT rowid, -bm25(text_words) AS score FROM text_words WHERE text_words MATCH ?"
            " AND +rowid IN (SELECT value FROM json_each(?))"
            " ORDER BY score DESC, rowid DESC LIMIT ?",
            (expression, json.dumps(list(text_keys)), k),
        )
    ]


def _terms(connection: sqlite3.Connection, text: str) -> list[_Term]:
    """The question's words that some text has, rarest first."""
    newest_key = connection.execute("SELECT coalesce(max(text_key), 0) FROM text").fetchone()[0]
    terms = []
    for word in query_words(text):
        term = _counted(connection, _expression(word), newest_key)
        if term.count == 0 and len(word) >= MIN_PREFIX_CHARS:
            term = _counted(connection, _prefix(word), newest_key)
        if term.count > 0:
            terms.append(term)
    return sorted(terms, key=lambda term: -term.weight)


def _counted(connection: sqlite3.Connection, expression: str, newest_key: int) -> _Term:
    """Counts no farther than it matters: the list of a frequent word is long."""
    count, oldest_key = connection.execute(
        "SELECT count(*), coalesce(min(rowid), 0) FROM (SELECT rowid FROM text_words"
        " WHERE text_words MATCH ? ORDER BY rowid DESC LIMIT ?)",
        (expression, MAX_SCORED + 1),
    ).fetchone()
    others = (newest_key - oldest_key + 1 if count > MAX_SCORED else newest_key) - count
    # as in FTS5, a word in more than half of the texts still counts a little
    return _Term(expression, count, max(math.log((others + 0.5) / (count + 0.5)), 1e-6))


def _divided(terms: Sequence[_Term]) -> tuple[list[str], list[_Term]]:
    """Expressions of the rarest terms, with at most MAX_SCORED texts in all, and the others."""
    total = 0
    for place, term in enumerate(terms):
        total += term.count
        if total > MAX_SCORED:
            return [rarer.expression for rarer in terms[:place]], list(terms[place:])
    return [term.expression for term in terms], []


def _bm25(connection: sqlite3.Connection, expression: str) -> dict[int, float]:
    if not expression:
        return {}
    return dict(
        connection.execute(
            "SELECT rowid, -bm25(text_words) FROM text_words WHERE text_words MATCH ?",
            (expression,),
        )
    )


def _newest(connection: sqlite3.Connection, expression: str, limit: int) -> list[int]:
    found = connection.execute(
        "SELECT rowid FROM text_words WHERE text_words MATCH ? ORDER BY rowid DESC LIMIT ?",
        (expression, limit),
    )
    return [row[0] for row in found]


def _expression(word: str) -> str:
    return _prefix(word) if _UNSPACED.search(word) else f'"{word}"'


def _prefix(word: str) -> str:
    return f'"{word}" *'


def _any_of(expressions: Sequence[str]) -> str:
    return " OR ".join(expressions)


def _all_of(expressions: Sequence[str]) -> str:
    return " AND ".join(expressions)


def _is_of_a_word(character: str) -> bool:
    """Marks belong to the letter before them: what FTS5 makes of them it makes of both sides."""
    return character.isalnum() or unicodedata.category(character).startswith("M")
