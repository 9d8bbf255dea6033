"""Answers to "what changed?" from what the memory noted, without a language model."""

from __future__ import annotations

from collections.abc import Sequence

from memory_nodes.answering.change_question import ALL_KINDS, ChangeQuestion
from memory_nodes.answering.extractive import listed, name
from memory_nodes.answering.locating import called
from memory_nodes.records import Answer, Change, ChangeKind, ObjectDescriptor
from memory_nodes.retrieval.ranking import best_views
from memory_nodes.retrieval.snapshot import Snapshot
from memory_nodes.words import age_text

UNCHANGED = "Nothing changed that I noticed"
MAX_NAMED = 5
"""Of more changes of a kind the newest are named, the others counted."""
_VERBS = {
    ChangeKind.NEW: ("is new", "are new"),
    ChangeKind.MOVED: ("was moved", "were moved"),
    ChangeKind.MISSING: ("is missing", "are missing"),
    ChangeKind.FOUND: ("is back", "are back"),
}


def change_answer(
    question: str,
    asked: ChangeQuestion,
    changes: Sequence[Change],
    snapshot: Snapshot,
    now_ns: int,
    max_keyframes: int,
) -> Answer:
    """The newest change of each object that is known still and was asked for, newest first.

    Of what the question names whatever became of it: "did the mug move?" may find it missing.

    Args:
        changes: in ``asked.span``, oldest first.
    """
    known = {item.object_id: item for item in snapshot.objects}
    kinds, about = asked.kinds, ""
    if asked.named:
        known = {item.object_id: item for item in called(asked.named, question, snapshot)}
        if not known:
            text = f"I have not seen any {asked.named!r}."
            return Answer(question, text, False, now_ns, problems=_problems(asked))
        kinds, about = ALL_KINDS, f" about {listed(_names(list(known.values())))}"
    newest = {change.descriptor.object_id: change for change in changes}
    told = [
        change for key, change in reversed(newest.items()) if change.kind in kinds and key in known
    ]
    told.sort(key=lambda change: -change.stamp_ns)
    if not told:
        when = f" {asked.span.said}" if asked.span is not None else ""
        text = f"{UNCHANGED}{about}{when}.{_unread(asked)}"
        return Answer(question, text, False, now_ns, problems=_problems(asked))
    objects = [known[change.descriptor.object_id] for change in told]
    shown = [best_views(item, snapshot)[0] for item in objects[:max_keyframes]]
    sentences = " ".join(_sentence(kind, told, now_ns) for kind in kinds if _of(kind, told))
    return Answer(
        question=question,
        text=f"{sentences}{_unread(asked)}",
        found=True,
        stamp_ns=now_ns,
        confidence=1.0,
        problems=_problems(asked),
        keyframes=tuple(shown),
        objects=tuple(objects),
        evidence=tuple(_evidence(change, now_ns) for change in told),
    )


def _unread(asked: ChangeQuestion) -> str:
    if not asked.unread:
        return ""
    said = listed([repr(words) for words in asked.unread])
    if asked.span is None:
        return f" I took all I know, since I did not understand {said}."
    return f" I did not understand {said}."


def _problems(asked: ChangeQuestion) -> tuple[str, ...]:
    return tuple(f"not understood: {words!r}" for words in asked.unread)


def _names(objects: Sequence[ObjectDescriptor]) -> list[str]:
    """Each name once; of many the others are counted."""
    names = list(dict.fromkeys(map(name, objects)))
    if len(names) > MAX_NAMED:
        return [*names[:MAX_NAMED], f"{len(names) - MAX_NAMED} more"]
    return names


def _of(kind: ChangeKind, told: Sequence[Change]) -> list[Change]:
    return [change for change in told if change.kind == kind]


def _sentence(kind: ChangeKind, told: Sequence[Change], now_ns: int) -> str:
    """'The red mug and the lamp were moved.'; of one change also when."""
    changes = _of(kind, told)
    names = [name(change.descriptor) for change in changes[:MAX_NAMED]]
    if len(changes) > MAX_NAMED:
        names.append(f"{len(changes) - MAX_NAMED} more")
    one, many = _VERBS[kind]
    said = f"{listed(names)} {one if len(changes) == 1 else many}"
    if len(changes) == 1:
        said += f"; I noticed it {age_text(changes[0].stamp_ns, now_ns)}"
    return f"{said[0].upper()}{said[1:]}."


def _evidence(change: Change, now_ns: int) -> str:
    """One line: what, when, from where to where."""
    parts = [f"object {change.descriptor.object_id}: {change.kind.value}"]
    parts.append(age_text(change.stamp_ns, now_ns))
    for word, position in (("from", change.old_position), ("to", change.new_position)):
        if position is not None:
            x_m, y_m, z_m = position.point_m
            parts.append(f"{word} ({x_m:.2f}, {y_m:.2f}, {z_m:.2f}) m")
    return "; ".join(parts)
