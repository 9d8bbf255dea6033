"""What people said and what was written down of scenes, found by the words of a question."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from memory_nodes.answering.asked import Asked
from memory_nodes.answering.naming import named, phrases
from memory_nodes.answering.noted import taken_at
from memory_nodes.answering.properties import PlaceAt
from memory_nodes.answering.question_kind import QuestionKind
from memory_nodes.answering.tools.sightings import sighting_of
from memory_nodes.answering.whereabouts import Whereabouts
from memory_nodes.dates import Dates
from memory_nodes.episodic.lines import DETECTIONS, SPOKEN_LAYERS
from memory_nodes.episodic.things import is_said_in
from memory_nodes.records import Answer, ItemKind, Keyframe
from memory_nodes.retrieval.mentions import without_quotes
from memory_nodes.retrieval.question import read_question
from memory_nodes.store.filters import Filter
from memory_nodes.store.hits import Hit
from memory_nodes.store.observations import is_interoceptive
from memory_nodes.store.past import Past
from memory_nodes.store.search import Search
from memory_nodes.words import age_text, shortened, stem, stems, words

SPEECH = "speech"
CONFIDENCE = 0.4
"""Only words tell of it."""
MAX_QUOTE_CHARS = 300
MAX_EVIDENCE = 3
_LOOKED_THROUGH = 300
_PER_TEXT = 2
_KINDS = (QuestionKind.OBJECT, QuestionKind.SPATIAL, QuestionKind.SCENE, QuestionKind.TEMPORAL)
_ASKS_WHAT_WAS_SAID = frozenset(
    "who whom whose what which why how when did has have was were".split()
)
_SAYING = frozenset(
    map(stem, "say said tell told talk speak spoke ask hear heard mention anyone anybody".split())
)
"""Stems of words that ask what was said, and were not said themselves."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n")


class SaidAnswers:
    """Quotes what was heard or noted. Source: eMEM, semantic_search and search_gists.

    Each raises StoreMissing while there is no memory.
    """

    def __init__(self, past: Past, search: Search, dates: Dates, place_at: PlaceAt) -> None:
        self._past = past
        self._search = search
        self._dates = dates
        self._place_at = place_at

    def answer(self, asked: Asked, keyframes: Collection[Keyframe]) -> Answer | None:
        """The newest text that has all words of the question; None where there is none.

        Who looks for a thing is told where a scene had it. What was only spoken of was not seen,
        so that nobody drives there: the answer is not found, and quotes it.

        Args:
            keyframes: one of them shows what the robot saw where and when it noted that.
        """
        terms = _terms(asked)
        if asked.kind not in _KINDS or not terms:
            return None
        seeks_thing = _seeks_thing(asked)
        observed = self._observed(asked, terms)
        if seeks_thing:
            seen = [hit for hit in observed if _shows(hit, asked)]
            found = seen or [hit for hit in observed if hit.layer in SPOKEN_LAYERS]
        else:
            found = observed or self._summed_up(asked, terms)
        if not found:
            return None
        if seeks_thing and found[0].layer in SPOKEN_LAYERS:
            return self._quoted(asked, found, "I have not seen that, but ", is_found=False)
        answer = self._quoted(asked, found)
        seen_there = sighting_of(found[0], "") if found[0].layer else None
        shown = taken_at(seen_there, keyframes) if seen_there is not None else ()
        return replace(answer, keyframes=shown)

    def _observed(self, asked: Asked, terms: Collection[str]) -> list[Hit]:
        """Newest first. Lists of things are told by their names, see ``noted``."""
        layers = tuple(
            layer
            for layer in self._past.layers()
            if layer != DETECTIONS and not is_interoceptive(layer)
        )
        if not layers:
            return []
        wanted = replace(asked.wanted, layers=layers, kinds=(ItemKind.OBSERVATION,))
        own = words(asked.question)
        hits = self._fitting(terms, wanted)
        return [hit for hit in hits if words(hit.text) != own and _has(hit.text, terms)]

    def _summed_up(self, asked: Asked, terms: Collection[str]) -> list[Hit]:
        """Gists, each cut to its sentence that has the words, newest first."""
        hits = self._fitting(terms, replace(asked.wanted, layers=(), kinds=(ItemKind.GIST,)))
        return [
            replace(hit, text=said)
            for hit in hits
            for said in _SENTENCE_END.split(hit.text)
            if _has(said, terms)
        ]

    def _fitting(self, terms: Collection[str], wanted: Filter) -> list[Hit]:
        text = " ".join(sorted(terms))
        hits = self._search.words(text, _LOOKED_THROUGH, wanted, per_text=_PER_TEXT).hits
        return sorted(hits, key=lambda hit: -hit.end_ns)

    def _quoted(
        self, asked: Asked, found: Sequence[Hit], opening: str = "", *, is_found: bool = True
    ) -> Answer:
        """'I heard Tue 1 Dec 2026 14:05, 2 minutes ago, when I was in the hall: "..."'"""
        last = found[0]
        verb = "heard" if last.layer == SPEECH else "noted"
        when = f"{self._dates.moment(last.end_ns)}, {age_text(last.end_ns, asked.now_ns)}"
        where = ""
        if last.position_map_m is not None:
            place = Whereabouts(last.end_ns, last.map_id, last.position_map_m)
            where = f", when I was {place.said(self._place_at)}"
        quote = shortened(last.text, MAX_QUOTE_CHARS)
        return Answer(
            question=asked.question,
            text=f'{opening}I {verb} {when}{where}: "{quote}".',
            found=is_found,
            stamp_ns=asked.now_ns,
            confidence=CONFIDENCE if is_found else 0.0,
            problems=asked.problems,
            evidence=tuple(_evidence(hit) for hit in found[:MAX_EVIDENCE]),
        )


def _terms(asked: Asked) -> frozenset[str]:
    """Stems of the words that must all have been said."""
    said = frozenset(stem(word) for part in phrases(asked.sought) for word in words(part))
    return said - _SAYING


def _seeks_thing(asked: Asked) -> bool:
    """Whether it looks for a thing, and does not ask what was said or done."""
    first = words(asked.question)[:1]
    is_of_thing = asked.of_thing is not None or asked.is_of_sighting
    return is_of_thing or not _ASKS_WHAT_WAS_SAID.issuperset(first)


def _shows(hit: Hit, asked: Asked) -> bool:
    """Whether a text says that the thing is there; a poster that says "stairs" shows none."""
    if hit.layer in SPOKEN_LAYERS:
        return False
    question = read_question(asked.sought)
    thing = named(question.target or question.text)
    return is_said_in(thing, without_quotes(hit.text))


def _has(text: str, terms: Collection[str]) -> bool:
    return set(stems(text)).issuperset(terms)


def _evidence(hit: Hit) -> str:
    return f"{hit.item_id} on layer {hit.layer}" if hit.layer else hit.item_id
