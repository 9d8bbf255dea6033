"""What was new to the fallback is joined with the known object that the model says it is."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memory_nodes.association.associator import Associator, AssociatorConfig
from memory_nodes.association.doubles import joins
from memory_nodes.association.known_objects import Known, Newest
from memory_nodes.association.looks import looks_of
from memory_nodes.geometry import Vector3
from memory_nodes.records import ChunkGraph, ObjectDescriptor, ObjectStatus
from memory_nodes.store.editing.edits import Undo
from memory_nodes.store.object_changes import KnownObject
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer
from memory_test_support.recorded_models import RecordedChat
from memory_test_support.records import box, descriptor, graph, keyframe, point, view

HERE = (3.0, 0.0, 0.5)
BESIDE = (3.0, 0.6, 0.5)
JOINED = (("settee_1", "sofa_1"),)
SAID = '{"sofa_9": "sofa_1"}'


def _thing(name: str, keyframe_id: int, color: str, place: Vector3 = HERE) -> ObjectDescriptor:
    seen = view(keyframe_id, point_map_m=place)
    return descriptor(name, seen, color=color, position=point(*place))


def _known(
    name: str,
    color: str,
    place: Vector3 = HERE,
    status: ObjectStatus = ObjectStatus.PROVISIONAL,
    map_id: str = "home",
    clear_looks: int = 0,
    sigma_m: float = 0.1,
) -> Known:
    item = KnownObject(
        object_key=1,
        object_id=name,
        types=(name.split("_")[0],),
        texts=(color,),
        attributes={"color": color},
        position=point(*place, sigma_m=sigma_m),
        map_id=map_id,
        status=status,
        clear_looks=clear_looks,
    )
    return Known(item, looks_of(item))


SOFA = _known("sofa_1", "blue", status=ObjectStatus.PRESENT)
SETTEE = _known("settee_1", "navy blue")
GREEN = _known("settee_1", "green")


def _joins(
    *known: Known,
    color: str = "navy blue",
    by_model: bool = True,
    cosine: float = 0.9,
    found: dict[str, str] | None = None,
    same_known: frozenset[frozenset[str]] = frozenset(),
    place: Vector3 = HERE,
    in_view: bool = False,
) -> tuple[tuple[str, str], ...]:
    """Of a chunk that shows sofa_9, which is sofa_1; the others were seen in the order given."""
    said = {"sofa_9": "sofa_1"}
    seen = [_thing("sofa_9", 4, color, place)]
    meant = {"sofa_9": {"settee_1": cosine}}
    shortlists = {"sofa_9": list(known)}
    decided = {**said, **(found or {})}
    claimed = said if by_model else {}
    newest = _newest(*known, in_view=in_view)
    return joins(seen, "home", shortlists, decided, claimed, same_known, meant, newest)


def _newest(*known: Known, in_view: bool = False) -> Newest:
    """Each in a keyframe of its own, whose box is 50 px about its middle or far beside it."""
    found = {}
    for number, one in enumerate(known, 1):
        position = one.item.position
        assert position is not None
        seen = view(number, point_map_m=position.point_m) if in_view else view(number, box(0, 0))
        found[one.item.object_id] = (descriptor(one.item.object_id, seen), keyframe(number))
    return found


def test_provisional_one_that_means_the_same_at_its_place_is_joined() -> None:
    assert _joins(SOFA, SETTEE) == JOINED


def test_without_the_word_of_the_model_nothing_is_joined() -> None:
    assert _joins(SOFA, SETTEE, by_model=False) == ()


@pytest.mark.parametrize(
    ("sofa", "settee"),
    [
        (SOFA, _known("settee_1", "navy blue", status=ObjectStatus.PRESENT)),
        (_known("sofa_1", "blue"), SETTEE),
        (SOFA, _known("settee_1", "navy blue", BESIDE)),
        (_known("sofa_1", "blue", BESIDE, ObjectStatus.PRESENT), SETTEE),
        (SOFA, _known("settee_1", "navy blue", map_id="elsewhere")),
        (SOFA, _known("settee_1", "green")),
        (SOFA, _known("cat_1", "black")),
    ],
    ids=["confirmed", "open", "beside", "known_beside", "other_map", "other_color", "other_kind"],
)
def test_what_may_be_another_object_stays(sofa: Known, settee: Known) -> None:
    assert _joins(sofa, settee) == ()


def test_what_the_chunk_shows_as_another_object_stays() -> None:
    assert _joins(SOFA, SETTEE, found={"settee_9": "settee_1"}) == ()


def test_word_of_the_model_for_both_outweighs_words_that_differ() -> None:
    """To the looks navy is not blue."""
    navy = _known("settee_1", "navy")
    both = frozenset([frozenset(("sofa_1", "settee_1"))])
    assert _joins(SOFA, navy, color="blue") == ()
    assert _joins(SOFA, navy, color="blue", same_known=both) == JOINED


@pytest.mark.parametrize("color", ["blue", "navy", "green"])
def test_what_would_be_a_second_one_in_the_same_spot_is_joined_whatever_it_looks_like(
    color: str,
) -> None:
    assert _joins(SOFA, GREEN, color=color, cosine=0.0, in_view=True) == JOINED
    assert _joins(SOFA, GREEN, color=color, cosine=0.0, in_view=False) == ()


@pytest.mark.parametrize(
    ("known", "place"),
    [
        ((GREEN, SOFA), HERE),
        ((SOFA, _known("settee_1", "green", (3.0, 0.25, 0.5))), HERE),
        ((SOFA, GREEN), BESIDE),
        ((SOFA, _known("settee_1", "green", clear_looks=1)), HERE),
        (
            (_known("sofa_1", "blue", status=ObjectStatus.PRESENT, clear_looks=1), GREEN),
            HERE,
        ),
        ((SOFA, _known("cat_1", "green")), HERE),
        ((SOFA, _known("settee_1", "green", sigma_m=1.1)), HERE),
        (
            (
                _known("sofa_1", "blue", status=ObjectStatus.PRESENT, map_id="upstairs"),
                _known("settee_1", "green", map_id="upstairs"),
            ),
            HERE,
        ),
    ],
    ids=[
        "there_first",
        "box_beside",
        "now_beside",
        "looked_for",
        "left",
        "other_kind",
        "rough",
        "upstairs",
    ],
)
def test_what_had_room_there_stays_where_looks_contradict(
    known: tuple[Known, ...], place: Vector3
) -> None:
    assert _joins(*known, color="blue", cosine=0.0, place=place, in_view=True) == ()


def test_what_may_be_either_of_two_known_ones_stays() -> None:
    other = _known("sofa_2", "blue", status=ObjectStatus.PRESENT)
    seen = [_thing(name, 4, "navy blue") for name in ("sofa_8", "sofa_9")]
    shortlists = {item.object_id: [SOFA, other, SETTEE] for item in seen}
    meant = {item.object_id: {"settee_1": 0.9} for item in seen}
    said = {"sofa_8": "sofa_1", "sofa_9": "sofa_2"}
    newest = _newest(SOFA, other, SETTEE)
    assert joins(seen, "home", shortlists, said, said, frozenset(), meant, newest) == ()
    one = {"sofa_8": "sofa_1"}
    assert joins(seen, "home", shortlists, said, one, frozenset(), meant, newest) == JOINED


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    """Knows a blue sofa, which was a navy settee and a navy sofa while the model was down."""
    opened = Writer(tmp_path)
    opened.commit_chunk(graph(1, [keyframe(1)], [_thing("sofa_1", 1, "blue")]))
    for number, name in ((2, "settee_1"), (3, "sofa_1")):
        opened.commit_chunk(_resolved(tmp_path, number, _thing(name, number, "navy")))
    yield opened
    opened.close()


def _resolved(memory_dir: Path, number: int, seen: ObjectDescriptor, said: str = "") -> ChunkGraph:
    model = RecordedChat(said) if said else None
    reader = Reader(memory_dir)
    associator = Associator(model, reader, AssociatorConfig(), 5.0)
    chunk = graph(number, [keyframe(number)], [seen], resolved=False)
    resolved = asyncio.run(associator.resolve(chunk))
    reader.close()
    return resolved


def _sofas(memory_dir: Path) -> dict[str, tuple[int, ...]]:
    reader = Reader(memory_dir)
    found = reader.objects()
    reader.close()
    return {item.object_id: tuple(seen.keyframe_id for seen in item.views) for item in found}


def test_duplicate_of_the_fallback_is_healed_when_the_model_is_back(
    writer: Writer, tmp_path: Path
) -> None:
    assert _sofas(tmp_path) == {"sofa_1": (1,), "settee_1": (2, 3)}
    alone = _resolved(tmp_path, 4, _thing("sofa_9", 4, "navy blue"))
    assert alone.joins == ()
    back = _resolved(tmp_path, 4, _thing("sofa_9", 4, "navy blue"), SAID)
    assert back.joins == JOINED
    writer.commit_chunk(back)
    assert _sofas(tmp_path) == {"sofa_1": (1, 2, 3, 4)}
    assert not writer.commit_chunk(back)
    assert _resolved(tmp_path, 5, _thing("sofa_9", 5, "navy blue"), SAID).joins == ()


def test_duplicate_whose_looks_contradict_is_healed_too(writer: Writer, tmp_path: Path) -> None:
    """Blue is not navy, and nothing tells that a settee means a sofa."""
    writer.commit_chunk(_resolved(tmp_path, 4, _thing("sofa_9", 4, "blue"), SAID))
    assert _sofas(tmp_path) == {"sofa_1": (1, 2, 3, 4)}


def test_two_that_one_keyframe_showed_are_never_joined(writer: Writer, tmp_path: Path) -> None:
    both = (_thing("sofa_1", 4, "blue"), _thing("settee_1", 4, "navy"))
    provisional = replace(both[1], status=ObjectStatus.PROVISIONAL)
    writer.commit_chunk(graph(4, [keyframe(4)], [both[0], provisional]))
    resolved = _resolved(tmp_path, 5, _thing("sofa_9", 5, "blue"), SAID)
    assert resolved.joins == JOINED
    writer.commit_chunk(resolved)
    assert _sofas(tmp_path) == {"sofa_1": (1, 4, 5), "settee_1": (2, 3, 4)}


def test_join_that_was_undone_is_not_made_again(writer: Writer, tmp_path: Path) -> None:
    writer.commit_chunk(_resolved(tmp_path, 4, _thing("sofa_9", 4, "navy blue"), SAID))
    reader = Reader(tmp_path)
    (event,) = reader.edits("sofa_1")
    reader.close()
    writer.edit(Undo(event.event_id), 5)
    both = {"sofa_1": (1, 4), "settee_1": (2, 3)}
    assert _sofas(tmp_path) == both
    again = _resolved(tmp_path, 5, _thing("sofa_9", 5, "navy blue"), SAID)
    writer.commit_chunk(replace(again, joins=JOINED))
    assert _sofas(tmp_path) == {**both, "sofa_1": (1, 4, 5)}
