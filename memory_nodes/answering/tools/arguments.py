"""What a tool may be called with: declared once, for the schema and for the check."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from memory_nodes.errors import InputError
from memory_nodes.models.ports import JsonSchema
from memory_nodes.models.reply_schema import array_of, closed_object
from memory_nodes.store.checks import check_unicode

MAX_JSON_CHARS = 20_000
MAX_TEXT_CHARS = 2000
MAX_NAMES = 32
MAX_NAME_CHARS = 256
MAX_NUMBER = 1e9
_SHOWN_CHARS = 40
"""Of what is refused, in a hint."""

Kind: TypeAlias = Literal["text", "number", "integer", "names"]


@dataclass(frozen=True)
class Argument:
    """One argument of a tool; bounds are inclusive."""

    name: str
    meaning: str
    kind: Kind = "text"
    is_required: bool = False
    low: float = -MAX_NUMBER
    high: float = MAX_NUMBER
    choices: tuple[str, ...] = ()
    """Of a text, or of each of the names; empty: any."""

    def schema(self) -> JsonSchema:
        """null stands for one that is not given: strict servers want every key."""
        word = {"type": "string", "enum": list(self.choices)} if self.choices else _STRING
        plain = {
            "text": word,
            "names": array_of(word),
            "number": {"type": "number"},
            "integer": {"type": "integer"},
        }[self.kind]
        if self.is_required:
            return {**plain, "description": self.meaning}
        return {"anyOf": [plain, {"type": "null"}], "description": self.meaning}

    def read(self, value: object) -> Any:
        """The value, or None for null. Raises InputError with a hint for what it cannot be."""
        if value is None:
            if self.is_required:
                raise InputError(f"{self.name} is missing: give {self.meaning}")
            return None
        if self.kind == "text":
            return self._text(value, MAX_TEXT_CHARS)
        if self.kind == "names":
            return self._names(value)
        return self._number(value)

    def _text(self, value: object, max_chars: int) -> str:
        if not isinstance(value, str):
            raise self._refusal(value, "a string")
        check_unicode(self.name, value)
        if len(value) > max_chars:
            raise InputError(f"{self.name} has {len(value)} characters, the limit is {max_chars}")
        text = value.strip()
        if self.is_required and not text:
            raise InputError(f"{self.name} is empty: give {self.meaning}")
        if self.choices and text not in self.choices:
            raise self._refusal(value, f"one of {', '.join(self.choices)}")
        return text

    def _names(self, value: object) -> tuple[str, ...]:
        listed = [value] if isinstance(value, str) else value
        if not isinstance(listed, list) or len(listed) > MAX_NAMES:
            raise self._refusal(value, f"a list of at most {MAX_NAMES} strings")
        names = (self._text(item, MAX_NAME_CHARS) for item in listed)
        return tuple(dict.fromkeys(name for name in names if name))

    def _number(self, value: object) -> float | int:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        number: float = value if is_number else math.nan  # type: ignore[assignment]
        wanted = "a whole number" if self.kind == "integer" else "a number"
        if not self.low <= number <= self.high or (
            self.kind == "integer" and number != math.floor(number)
        ):
            raise self._refusal(value, f"{wanted} from {self.low:g} to {self.high:g}")
        return int(number) if self.kind == "integer" else float(number)

    def _refusal(self, value: object, wanted: str) -> InputError:
        return InputError(f"{self.name} is {shown(value)}: give {wanted}")


_STRING: JsonSchema = {"type": "string"}


@dataclass(frozen=True)
class Arguments:
    """What a tool was called with; what was not given is empty or None."""

    values: Mapping[str, Any]

    def text(self, name: str) -> str:
        given: str | None = self.values.get(name)
        return "" if given is None else given

    def names(self, name: str) -> tuple[str, ...]:
        given: tuple[str, ...] | None = self.values.get(name)
        return () if given is None else given

    def number(self, name: str) -> float | None:
        return self.values.get(name)

    def integer(self, name: str, default: int) -> int:
        given: int | None = self.values.get(name)
        return default if given is None else given


def arguments_schema(declared: Sequence[Argument]) -> JsonSchema:
    """A closed object with all of them."""
    return closed_object(**{argument.name: argument.schema() for argument in declared})


def read_arguments(declared: Sequence[Argument], arguments_json: str) -> Arguments:
    """What a model wrote. Raises InputError with a hint for what cannot be used."""
    known = {argument.name: argument for argument in declared}
    given = _parsed(arguments_json)
    for name in given:
        if name not in known:
            raise InputError(f"no argument {shown(name)}: there are {', '.join(known) or 'none'}")
    return Arguments({name: item.read(given.get(name)) for name, item in known.items()})


def shown(value: object) -> str:
    """The beginning of what was given, as one line of plain characters."""
    text = ascii(value)
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}..."


def _parsed(text: str) -> dict[str, Any]:
    if len(text) > MAX_JSON_CHARS:
        raise InputError(f"arguments of {len(text)} characters, the limit is {MAX_JSON_CHARS}")
    try:
        value = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise InputError(f"the arguments are no JSON object: {error}") from error
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InputError(f"the arguments are {shown(value)}: give a JSON object")
    return value
