"""Types of messages by their names, as parameters give them."""

from __future__ import annotations

import importlib
import re
from typing import Any

from memory_nodes.errors import ConfigurationError

_NAME = re.compile(r"([a-z][a-z0-9_]*)/msg/([A-Za-z][A-Za-z0-9]*)")


def message_type(name: str) -> type[Any]:
    """The class of ``package/msg/Name``. Raises ConfigurationError where there is none."""
    found = _NAME.fullmatch(name)
    if found is None:
        raise ConfigurationError(
            f"{name[:80]!r} is no type of messages: give package/msg/Name, as in "
            "std_msgs/msg/String"
        )
    package, kind = found.groups()
    try:
        made: type[Any] = getattr(importlib.import_module(f"{package}.msg"), kind)
    except (ImportError, AttributeError) as error:
        raise ConfigurationError(
            f"there is no {name}: install and source {package}, or mend its name ({error})"
        ) from error
    if not hasattr(made, "get_fields_and_field_types"):
        raise ConfigurationError(f"{name} is no message")
    return made
