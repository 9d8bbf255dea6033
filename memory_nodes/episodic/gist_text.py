"""The gist of a piece without a language model, and what every gist says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from memory_nodes.dates import Dates
from memory_nodes.episodic.lines import DETECTIONS, Line, things_in
from memory_nodes.episodic.things import is_said_in, things
from memory_nodes.store.observations import is_interoceptive
from memory_nodes.words import STOP_WORDS, stems

MAX_TEXT_CHARS = 300
"""Of one text in a gist."""
MAX_TEXTS = 60
"""Of one layer that are weighed against each other."""
MAX_THINGS_CHARS = 10_000
"""A bound on names of things, far beyond what one place has."""
SEEN = "Seen: "
_LABELS = {
    **{"description": "Described", "human_presence": "People", "speech": "Heard"},
    **{"text": "Noted"},
}


def heading(dates: Dates, start_ns: int, end_ns: int) -> str:
    """When it was: what every gist begins with."""
    return f"{dates.span(start_ns, end_ns)}. "


def concatenated(lines: Sequence[Line], head: str, max_chars: int) -> str:
    """What the lines say, layer by layer, in ``max_chars``, what is most frequent and new first.

    Only names of things are never left out, since they are what it will be found by: where these
    alone are longer, the gist is.
    """
    seen = _listed_things(lines, max_chars - len(head))
    layers = {layer: list(said) for layer, said in groupby(lines, lambda line: line.layer)}
    parts = {}
    left = max_chars - len(head) - len(seen)
    for number, (layer, said) in enumerate(layers.items()):
        share = left // (len(layers) - number)
        parts[layer] = _layer_part(layer, [line for line in said if not _is_list(line)], share)
        left -= len(parts[layer])
    parts[DETECTIONS] = seen + parts.get(DETECTIONS, "")
    return (head + "".join(parts[layer] for layer in layers)).strip()


def with_all_things(text: str, lines: Sequence[Line]) -> str:
    """A gist that a model wrote, with the names of things that it left out."""
    missing = [name for name in things_in(lines) if not is_said_in(name, text)]
    return f"{text} {SEEN}{_bounded(missing)}." if missing else text


def content_stems(text: str) -> set[str]:
    """Stems of the words that say something."""
    return {stem for stem in stems(text) if stem not in STOP_WORDS}


def _listed_things(lines: Sequence[Line], max_chars: int) -> str:
    """'Seen: chair (12 times), table. ', without the numbers where they do not fit."""
    found = things_in(lines)
    if not found:
        return ""
    counted = ", ".join(f"{name}{_times(len(items))}" for name, items in found.items())
    said = counted if len(SEEN) + len(counted) + 2 <= max_chars else _bounded(found)
    return f"{SEEN}{said}. "


def _bounded(names: Iterable[str]) -> str:
    listed, length = [], 0
    left = list(names)
    while left and length + len(left[0]) + 2 <= MAX_THINGS_CHARS:
        length += len(left[0]) + 2
        listed.append(left.pop(0))
    return ", ".join(listed) + (f" and {len(left)} more" if left else "")


def _layer_part(layer: str, lines: list[Line], max_chars: int) -> str:
    """'Place: kitchen (4 times); hall. ', at most so long; empty where nothing fits."""
    if not lines:
        return ""
    label = _LABELS.get(layer, layer.replace("_", " ").capitalize())
    if is_interoceptive(layer):
        lines = _first_and_last(lines)  # how it began and ended
    said: list[str] = []
    room = max_chars - len(label) - len(": . and 0000 more")
    for line in _by_worth(lines[:MAX_TEXTS]):
        text = line.text if len(line.text) <= MAX_TEXT_CHARS else f"{line.text[:MAX_TEXT_CHARS]}..."
        text = f"{text.rstrip('. ')}{_times(len(line.items))}"
        if len(text) + 2 <= room:
            said.append(text)
            room -= len(text) + 2
    more = f" and {len(lines) - len(said)} more" if len(said) < len(lines) else ""
    return f"{label}: {'; '.join(said)}{more}. " if said else ""


def _by_worth(lines: Sequence[Line]) -> Iterable[Line]:
    """The most frequent first, of equally frequent ones the one with the most new words."""
    waiting = {number: (line, content_stems(line.text)) for number, line in enumerate(lines)}
    known: set[str] = set()
    while waiting:
        best = max(
            waiting,
            key=lambda number: (
                len(waiting[number][0].items),
                len(waiting[number][1] - known),
                -number,
            ),
        )
        line, new = waiting.pop(best)
        known |= new
        yield line


def _first_and_last(lines: list[Line]) -> list[Line]:
    by_time = sorted(lines, key=lambda line: line.items[0].observation.stamp_ns)
    last = max(by_time, key=lambda line: line.items[-1].observation.stamp_ns)
    return [by_time[0]] if last is by_time[0] else [by_time[0], last]


def _is_list(line: Line) -> bool:
    return line.layer == DETECTIONS and bool(things(line.text))


def _times(count: int) -> str:
    return f" ({count} times)" if count > 1 else ""
