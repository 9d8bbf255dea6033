"""What of a layer's messages is worth an observation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from memory_nodes.episodic.layers.config import LayerConfig
from memory_nodes.episodic.layers.template import Template, value_at
from memory_nodes.episodic.layers.wording import BY_TYPE, Said, is_beginning
from memory_nodes.errors import ConfigurationError, InputError
from memory_nodes.records import NS_PER_S

MAX_TEXT_CHARS = 2000
MAX_KEYS = 1000
"""Things of one layer whose last text is kept, to tell a change."""
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


class Layer:
    """Puts messages into words, and leaves out what says nothing new.

    Args:
        counters: takes one count for each observation left out or refused, by layer and cause.

    Raises ConfigurationError for a layer without a topic, or whose text cannot be made.
    """

    def __init__(self, name: str, config: LayerConfig, counters: Counter[str]) -> None:
        if not config.topic:
            raise ConfigurationError(f"layer {name} has no topic: give layer.{name}.topic")
        if not config.template and config.type not in BY_TYPE:
            raise ConfigurationError(
                f"layer {name} has no template, which {config.type} needs: give "
                f"layer.{name}.template"
            )
        self.name = name
        self.config = config
        self._counters = counters
        self._template = Template(config.template)
        self._recorded: dict[str, str] = {}
        self._before: tuple[str, int] | None = None
        """A beginning that was recorded last before a restart, and its stamp."""
        self._last_ns: int | None = None

    def check(self, message: object) -> None:
        """Raises ConfigurationError where messages like this one lack a field that is needed."""
        self._template.check(message)
        if self.config.confidence:
            Template("{" + self.config.confidence + "}").check(message)

    def resume(self, text: str, stamp_ns: int) -> None:
        """What was recorded last, before a restart; to be told before the first message.

        If it tells of a beginning, that is no news again, and its end is.
        """
        self._before = (text, stamp_ns) if is_beginning(text) else None

    def news(self, message: object, stamp_ns: int) -> list[Said]:
        """What is to be recorded of a message; a message that cannot be read is counted."""
        try:
            said = list(self._read(message))
        except (InputError, IndexError):
            self._counters[f"layer_{self.name}_unusable"] += 1
            return []
        self._go_on(said, stamp_ns)
        for item in said:
            if not item.text:
                self._recorded.pop(item.key, None)
        fresh = [item for item in said if item.text and self._is_news(item)]
        if fresh and self._is_too_soon(stamp_ns):
            self._counters[f"layer_{self.name}_limited"] += len(fresh)
            return []
        return fresh

    def note(self, said: Said, stamp_ns: int) -> None:
        """This is recorded: what comes next is compared with it."""
        self._recorded.pop(said.key, None)
        self._recorded[said.key] = said.text
        if len(self._recorded) > MAX_KEYS:
            del self._recorded[next(iter(self._recorded))]
        self._last_ns = stamp_ns

    def _go_on(self, said: Iterable[Said], stamp_ns: int) -> None:
        """What was recorded before a restart is under the key of what had begun last by then."""
        if self._before is None:
            return
        (text, recorded_ns), self._before = self._before, None
        known = [(item.since_ns, item.key) for item in said if item.since_ns is not None]
        begun = [item for item in known if item[0] <= recorded_ns]
        if begun and recorded_ns <= stamp_ns:  # or simulated time has begun anew
            self._recorded[max(begun)[1]] = text

    def _read(self, message: Any) -> Iterator[Said]:
        config = self.config
        texts: Iterable[Said]
        if config.template:
            texts = [Said(self._template.fill(message))]
        else:
            texts = BY_TYPE[config.type](message, config.topic)
        for item in texts:
            text = " ".join(item.text.split())
            yield replace(item, text=text[:MAX_TEXT_CHARS], confidence=self._confidence(message))

    def _confidence(self, message: Any) -> float:
        """Raises InputError for one that is none."""
        if not self.config.confidence:
            return 1.0
        value = value_at(message, self.config.confidence)
        if not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
            raise InputError(f"{self.config.confidence} is {value!r:.80}, give one from 0 to 1")
        return float(value)

    def _is_news(self, item: Said) -> bool:
        before = self._recorded.get(item.key)
        if before is None:
            return not item.is_sequel
        return not self.config.only_changes or _differ(before, item.text, self.config.min_change)

    def _is_too_soon(self, stamp_ns: int) -> bool:
        """A stamp before the last one is of time that has jumped back."""
        if self._last_ns is None:
            return False
        return 0 <= stamp_ns - self._last_ns < self.config.min_interval_s * NS_PER_S


def _differ(before: str, now: str, min_change: float) -> bool:
    """Whether other words are said, or a number has changed by so much."""
    if _NUMBER.split(before) != _NUMBER.split(now):
        return True
    pairs = zip(_NUMBER.findall(before), _NUMBER.findall(now), strict=True)
    changes = [abs(float(one) - float(other)) for one, other in pairs]
    return any(change > 0.0 and change >= min_change for change in changes)
