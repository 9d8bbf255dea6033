"""What was seen, in words for a prompt or a file: texts are data and cannot forge a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from memory_nodes.perception.predicates import PREDICATES, inverse_of
from memory_nodes.records import AttributeValue, Relation
from memory_nodes.words import age_text

_SHORT = {"\\": r"\\", "\n": r"\n", "\r": r"\r", "\t": r"\t"}
_LONG = {written: char for char, written in _SHORT.items()}
_ESCAPE = re.compile(r"\\(?:[\\nrt]|u[0-9a-f]{4}|U[0-9a-f]{8})")


def escaped(text: str) -> str:
    """The text in one line of printable characters; others become \\n, \\u2028 and the like."""
    if text.isprintable() and "\\" not in text:
        return text
    return "".join(map(_escape, text))


def unescaped(text: str) -> str:
    """What ``escaped`` was given."""
    return _ESCAPE.sub(lambda found: _char(found.group()), text)


def quoted(text: str) -> str:
    """The text between quotes, in one line; a quote inside it has a backslash before it."""
    return '"' + escaped(text).replace('"', '\\"') + '"'


def name(text: str) -> str:
    """An id as it is, when it is one plain word, and between quotes otherwise."""
    return text if re.fullmatch(r"\w+", text) else quoted(text)


def relation_phrase(subject_id: str, predicate: str, object_id: str) -> str:
    """mug_1 on desk_1; a predicate that is none of ours stands between quotes."""
    is_known = predicate in PREDICATES or inverse_of(predicate) is not None
    word = predicate if is_known else quoted(predicate)
    return f"{name(subject_id)} {word} {name(object_id)}"


def read_from(object_id: str, relation: Relation) -> str:
    """A relation as seen from one of its ends; as it stands where it has no word for that."""
    inverse = inverse_of(relation.predicate)
    if object_id == relation.subject_id or inverse is None:
        return relation_phrase(relation.subject_id, relation.predicate, relation.object_id)
    return relation_phrase(relation.object_id, inverse, relation.subject_id)


def earlier_values(
    history: Mapping[str, Sequence[AttributeValue]], now_ns: int
) -> Iterator[tuple[str, str, str]]:
    """Each attribute that has changed, what it was, and until when: " until 2 days ago" or empty
    where that is not known. The latest of each first.
    """
    for attribute, values in history.items():
        for earlier, later in reversed(list(pairwise(values))):
            until = "" if later.since_ns is None else f" until {age_text(later.since_ns, now_ns)}"
            yield attribute, earlier.value, until


def _escape(char: str) -> str:
    if char in _SHORT:
        return _SHORT[char]
    if char.isprintable():
        return char
    code = ord(char)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _char(written: str) -> str:
    return _LONG[written] if written in _LONG else chr(int(written[2:], 16))
