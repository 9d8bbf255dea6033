"""The fields of one line of an export, each checked when it is read: files may be damaged."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from typing import Any

from memory_nodes.errors import InputError
from memory_nodes.geometry import Pose, Vector3

_MAX_INTEGER = 2**63 - 1


class Fields:
    """A JSON object. Each method raises InputError naming the field that is not as it must be.

    ``default`` stands for a field that is missing: exports of older memories have not all.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    @classmethod
    def from_line(cls, line: bytes) -> Fields:
        """Raises InputError for what is no JSON object in UTF-8."""
        try:
            values = json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            raise InputError(f"no JSON in UTF-8: {error}") from error
        return cls(_object("the line", values))

    def as_json(self) -> str:
        return json.dumps(self._values)

    def is_null(self, name: str) -> bool:
        return self._value(name) is None

    def text(self, name: str, default: str | None = None) -> str:
        return _text(name, self._value(name, default))

    def optional_text(self, name: str) -> str | None:
        return None if self.is_null(name) else self.text(name)

    def texts(self, name: str) -> tuple[str, ...]:
        return tuple(_text(name, item) for item in _list(name, self._value(name)))

    def texts_by_name(self, name: str) -> dict[str, str]:
        items = _object(name, self._value(name)).items()
        return {_text(name, key): _text(name, item) for key, item in items}

    def integer(self, name: str, low: int = -_MAX_INTEGER, default: int | None = None) -> int:
        return _integer(name, self._value(name, default), low)

    def integers(self, name: str) -> tuple[int, ...]:
        return tuple(_integer(name, item, 0) for item in _list(name, self._value(name)))

    def number(self, name: str, default: float | None = None) -> float:
        return _number(name, self._value(name, default))

    def numbers(self, name: str, length: int) -> tuple[float, ...]:
        items = _list(name, self._value(name))
        if len(items) != length:
            raise InputError(f"{name} has {len(items)} numbers, not {length}")
        return tuple(_number(name, item) for item in items)

    def point(self, name: str) -> Vector3:
        x, y, z = self.numbers(name, 3)
        return x, y, z

    def pose(self, name: str) -> Pose:
        fields = self.fields(name)
        qx, qy, qz, qw = fields.numbers("quat_xyzw", 4)
        return Pose(fields.point("position_m"), (qx, qy, qz, qw))

    def flag(self, name: str, default: bool | None = None) -> bool:
        value = self._value(name, default)
        if not isinstance(value, bool):
            raise InputError(f"{name} is {_shown(value)}, not true or false")
        return value

    def vector(self, name: str) -> bytes:
        """Bytes in base64."""
        try:
            return base64.b64decode(self.text(name), validate=True)
        except ValueError as error:
            raise InputError(f"{name} is no base64: {error}") from error

    def fields(self, name: str) -> Fields:
        return Fields(_object(name, self._value(name)))

    def list_of_fields(self, name: str) -> list[Fields]:
        return [Fields(_object(name, item)) for item in _list(name, self._value(name))]

    def _value(self, name: str, default: Any = None) -> Any:
        if name not in self._values and default is None:
            raise InputError(f"{name} is missing")
        return self._values.get(name, default)


def _object(name: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{name} is {_shown(value)}, not a JSON object")
    return value


def _list(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise InputError(f"{name} is {_shown(value)}, not a list")
    return value


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InputError(f"{name} is {_shown(value)}, not a text")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{name} is no valid unicode at character {error.start}") from error
    return value


def _integer(name: str, value: Any, low: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= _MAX_INTEGER:
        raise InputError(f"{name} is {_shown(value)}, not an integer from {low} to {_MAX_INTEGER}")
    return value


def _number(name: str, value: Any) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    # a whole number may be too large for a float, and 1e999 is read as infinite
    if not is_number or abs(value) > _MAX_INTEGER or not math.isfinite(value):
        raise InputError(f"{name} is {_shown(value)}, not a finite number")
    return float(value)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number in JSON")


def _shown(value: Any) -> str:
    return repr(value)[:80]
