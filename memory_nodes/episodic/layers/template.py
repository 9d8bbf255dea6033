"""Texts with the fields of a message in them.

The template comes from a parameter file, what it is filled with from a message: a message can
neither call nor reach anything but its own fields, and is never read as a template.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from string import Formatter

from memory_nodes.errors import ConfigurationError, InputError

_NAME = r"[A-Za-z][A-Za-z0-9_]*"
_PATH = re.compile(rf"{_NAME}(?:\.{_NAME}|\[\d{{1,4}}\])*")
_STEP = re.compile(rf"({_NAME})|\[(\d+)\]")
_FORMAT = re.compile(r"[<>^]?\d{0,2}(\.\d{1,2})?[dfgexs%]?")


@dataclass(frozen=True)
class _Part:
    literal: str
    path: str | None
    format: str


class Template:
    """Raises ConfigurationError for a text that is no template."""

    def __init__(self, text: str) -> None:
        self._text = text
        try:
            parsed = list(Formatter().parse(text))
        except ValueError as error:
            raise ConfigurationError(f"the template {text!r} cannot be read: {error}") from error
        self._parts = [_Part(literal, path, how or "") for literal, path, how, _ in parsed]
        for part, (_, _, _, conversion) in zip(self._parts, parsed, strict=True):
            is_path = part.path is None or _PATH.fullmatch(part.path) is not None
            if not is_path or conversion or _FORMAT.fullmatch(part.format) is None:
                raise ConfigurationError(
                    f"the template {text!r} has a field {part.path!r}: give names of fields, with "
                    "a . or a [number] between them and a format like :.1f, and {{ }} for braces"
                )

    def check(self, message: object) -> None:
        """Raises ConfigurationError where a message of this kind has no such field."""
        try:
            self.fill(message)
        except IndexError:
            return  # an empty list: others may be longer
        except InputError as error:
            raise ConfigurationError(f"the template {self._text!r}: {error}") from error

    def fill(self, message: object) -> str:
        """The text for a message.

        Raises InputError for a field that it has not, and IndexError for the item of a list.
        """
        return "".join(part.literal + _formatted(message, part) for part in self._parts)


def value_at(message: object, path: str) -> object:
    """The field of a message, as in ``status[0].values``.

    Raises InputError for a field that it has not, and IndexError for the item of a list.
    """
    if _PATH.fullmatch(path) is None:
        raise InputError(f"{path!r} is no field: give names with a . or a [number] between them")
    value = message
    for name, index in _STEP.findall(path):
        try:
            value = getattr(value, name) if name else value[int(index)]  # type: ignore[index]
        except (AttributeError, TypeError) as error:
            raise InputError(f"a {type(message).__name__} has no {path}: {error}") from error
    if callable(value):
        raise InputError(f"{path} is no field of a {type(message).__name__}")
    return value


def _formatted(message: object, part: _Part) -> str:
    if part.path is None:
        return ""
    value = value_at(message, part.path)
    try:
        return format(value, part.format)
    except (ValueError, TypeError) as error:
        raise InputError(f"{part.path} is {value!r:.80}: {error}") from error
