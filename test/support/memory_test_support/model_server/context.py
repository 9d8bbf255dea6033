"""The context of an answer request, read back into objects and keyframes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_test_support.model_server.language import INVERSES, RELATIONS, content_words

_OBJECT = re.compile(r"^\s*object\s+(\S+?)\s*:\s*(.*)$")
_KEYFRAME = re.compile(r"^\s*keyframe\s+(\d+)\b[^:]*(?::\d\d[^: ]*)*[^:]*:\s*(.*)$")
_ID = re.compile(r"\b\w+_\d+\b")
_ATTRIBUTE = re.compile(r"^(color|material|size|state|place|position|seen|status)\b[: ]*(.*)$")
_PREDICATES = sorted(
    {"near", *INVERSES, *(one for many in RELATIONS.values() for one in many), "attached to"},
    key=len,
    reverse=True,
)
_RELATION = re.compile(rf"^({'|'.join(_PREDICATES)})\s+(\S+)$")


@dataclass(frozen=True)
class ContextObject:
    """One object line: what it is, what it affords, and (predicate, other id) relations."""

    object_id: str
    kind: str
    description: str
    own_words: frozenset[str]
    affordance_words: frozenset[str]
    relations: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Context:
    """Objects by id and keyframes with the ids they list, both in order of the text."""

    objects: dict[str, ContextObject]
    keyframes: tuple[tuple[int, tuple[str, ...]], ...]

    def rank(self, object_id: str) -> int:
        """The place of the first keyframe that lists the object; after all if none does."""
        for place, (_, ids) in enumerate(self.keyframes):
            if object_id in ids:
                return place
        return len(self.keyframes)

    def keyframes_of(self, object_id: str) -> list[int]:
        """Keyframes that list the object, in order of the text."""
        return [number for number, ids in self.keyframes if object_id in ids]

    def triples(self) -> list[tuple[str, str, str]]:
        """(subject, predicate, object) as told, and turned round where that is sayable."""
        told = [
            (subject, predicate, other)
            for subject, entry in self.objects.items()
            for predicate, other in entry.relations
            if other in self.objects
        ]
        turned = [
            (other, INVERSES[predicate], subject)
            for subject, predicate, other in told
            if predicate in INVERSES
        ]
        return list(dict.fromkeys(told + turned))


def parse_context(text: str) -> Context:
    """Reads the object and keyframe lines; other lines are passed over."""
    objects: dict[str, ContextObject] = {}
    keyframes: list[tuple[int, tuple[str, ...]]] = []
    for line in text.splitlines():
        if found := _OBJECT.match(line):
            objects[found.group(1)] = _object(found.group(1), found.group(2))
        elif found := _KEYFRAME.match(line):
            ids = tuple(one.strip() for one in found.group(2).split(",") if one.strip())
            keyframes.append((int(found.group(1)), ids))
    return Context(objects, tuple(keyframes))


def _object(object_id: str, line: str) -> ContextObject:
    kind, *fields = [field.strip() for field in line.split(";")]
    descriptions: list[str] = []
    attributes: list[str] = []
    affordances = ""
    relations: list[tuple[str, str]] = []
    for field in fields:
        if field.startswith("can:"):
            affordances = field.removeprefix("can:")
        elif found := _RELATION.match(field):
            relations.append((found.group(1), found.group(2).rstrip(".")))
        elif found := _ATTRIBUTE.match(field):
            attributes.append(found.group(2))
        elif field:
            descriptions.append(_ID.sub("", field))  # an id's words describe another thing
    return ContextObject(
        object_id=object_id,
        kind=kind,
        description=descriptions[0] if descriptions else "",
        own_words=frozenset(content_words(" ".join([kind, *descriptions, *attributes]))),
        affordance_words=frozenset(content_words(affordances)),
        relations=tuple(relations),
    )
