"""What a node's text says by rule: short lists under fixed labels, which can be read back.

They go up the tree with what people ask for: names of tasks, when they were, rare objects.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

MAX_NAME_CHARS = 80
MAX_WHENS = 2


class Section(str, Enum):
    """The lists of a text, in their order, by the label that they begin with."""

    TASKS = "Tasks"
    STEPS = "Did"
    SAID = "Said"
    NOTES = "Noted"
    PLACES = "At"
    OBJECTS = "Saw"


_COUNTED = (Section.TASKS, Section.STEPS)
"""How often something is in view says little."""
_LABELS = "|".join(section.value for section in Section)
_START = re.compile(rf"(?:^|(?<=\. ))({_LABELS}): ")
_BETWEEN = re.compile(r", (?![^(]*\))")
_ENTRY = re.compile(r"(?P<name>.*?)(?: x(?P<count>\d{1,9}))?(?: \((?P<whens>[^()]*)\))?")
_MORE = re.compile(r"and \d+ more")


@dataclass(frozen=True)
class Mention:
    """How often something is mentioned, and when, where that is seldom."""

    count: int = 1
    whens: tuple[str, ...] = ()

    def __add__(self, other: Mention) -> Mention:
        whens = dict.fromkeys((*self.whens, *other.whens))
        return Mention(self.count + other.count, tuple(whens))


class Facts:
    """Names by section, in the order in which they were first mentioned."""

    def __init__(self) -> None:
        self._mentions: dict[Section, dict[str, Mention]] = {section: {} for section in Section}

    def __getitem__(self, section: Section) -> Mapping[str, Mention]:
        return self._mentions[section]

    def add(self, section: Section, name: str, mention: Mention | None = None) -> None:
        """Counts a name; one without letters is none."""
        cleaned = clean(name)
        if cleaned:
            known = self._mentions[section].get(cleaned)
            fresh = mention if mention is not None else Mention()
            self._mentions[section][cleaned] = fresh if known is None else known + fresh

    def text(self, limits: Mapping[Section, int]) -> str:
        """The lists that are not empty, each of at most so many characters; none without a limit.

        What is mentioned seldom stays longest; of tasks and steps it says how many are left out.
        """
        lists = []
        for section, names in self._mentions.items():
            shown = names if section in _COUNTED else dict.fromkeys(names, Mention())
            counts = [mention.count for mention in names.values()]
            entries = _fitting(shown, counts, limits.get(section, 0))
            if entries and section in _COUNTED and len(entries) < len(names):
                entries.append(f"and {len(names) - len(entries)} more")
            if entries:
                lists.append(f"{section.value}: {', '.join(entries)}.")
        return " ".join(lists)


def read(text: str) -> Facts:
    """The facts in the last line of a text."""
    line = text.rpartition("\n")[2]
    facts = Facts()
    starts = list(_START.finditer(line))
    ends = [start.start() for start in starts[1:]] + [len(line)]
    for start, end in zip(starts, ends, strict=False):
        listed = line[start.end() : end].rstrip().removesuffix(".")
        for entry in _BETWEEN.split(listed):
            found = _ENTRY.fullmatch(entry)
            if found is not None and not _MORE.fullmatch(entry):
                whens = tuple(found["whens"].split(", ")) if found["whens"] else ()
                mention = Mention(int(found["count"] or 1), whens)
                facts.add(Section(start[1]), found["name"], mention)
    return facts


def prose(text: str) -> str:
    """What stands before the first list of a text."""
    start = _START.search(text)
    return text if start is None else text[: start.start()].strip()


def clean(name: str) -> str:
    """A name without what parts the lists, on one line and of bounded length."""
    plain = " ".join(re.sub(r"[,;:()\n]", " ", name).split())
    return plain[:MAX_NAME_CHARS].strip(" .")


def _fitting(names: Mapping[str, Mention], counts: Sequence[int], max_chars: int) -> list[str]:
    """Entries in order; the rarest first of those that fit."""
    entries = [_entry(name, mention) for name, mention in names.items()]
    room = max_chars + 2
    chosen = []
    for number in sorted(range(len(entries)), key=lambda number: counts[number]):
        if len(entries[number]) + 2 <= room:
            room -= len(entries[number]) + 2
            chosen.append(number)
    return [entries[number] for number in sorted(chosen)]


def _entry(name: str, mention: Mention) -> str:
    count = f" x{mention.count}" if mention.count > 1 else ""
    whens = f" ({', '.join(mention.whens)})" if 0 < len(mention.whens) <= MAX_WHENS else ""
    return f"{name}{count}{whens}"
