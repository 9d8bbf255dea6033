"""What cannot be written down is refused alone, by name; what is only odd is kept as it is."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from memory_nodes.errors import InputError
from memory_nodes.geometry import Array, Pose
from memory_nodes.records import Gist, Observation
from memory_nodes.store.database import DATABASE_NAME
from memory_nodes.store.filters import Filter
from memory_nodes.store.ranking.fusion import FusionConfig
from memory_nodes.store.search import Search, SearchConfig
from memory_nodes.store.writer import Writer, WriterConfig
from memory_test_support import numbered

LAST_NS = 2**63 - 1
LONE_SURROGATE = "a \ud800 of text"
PLAIN = numbered.observation(2)
UNIT = numbered.vector(2)


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    """Commits when it is told to: what is submitted is one batch."""
    opened = Writer(tmp_path, WriterConfig(batch_size=1000, batch_delay_s=60.0))
    opened.use_embedding_model(numbered.MODEL)
    yield opened
    opened.close()


@pytest.fixture
def search(writer: Writer, tmp_path: Path) -> Iterator[Search]:
    opened = Search(tmp_path)
    yield opened
    opened.close()


def _submitted(
    writer: Writer, observation: Observation, vector: Array | None = None
) -> Future[str]:
    """As submit; what it refuses at once comes from the future too."""
    try:
        return writer.submit(observation, vector)
    except InputError as error:
        refused: Future[str] = Future()
        refused.set_exception(error)
        return refused


def _at(x_m: float, y_m: float = 0.0) -> Observation:
    return replace(PLAIN, map_from_base=Pose((x_m, y_m, 0.0), (0.0, 0.0, 0.0, 1.0)))


UNUSABLE: dict[str, tuple[Observation, Array | None, str]] = {
    "place NaN": (_at(math.nan), UNIT, "pose"),
    "place inf": (_at(0.0, -math.inf), UNIT, "pose"),
    "place 1e300": (_at(1e300), UNIT, "position"),
    "surrogate in the text": (replace(PLAIN, text=LONE_SURROGATE), None, "text"),
    "surrogate in the source": (replace(PLAIN, source=LONE_SURROGATE), None, "source"),
    "surrogate in the map": (replace(PLAIN, map_id=LONE_SURROGATE), None, "map_id"),
    "surrogate in the frame": (replace(PLAIN, map_frame=LONE_SURROGATE), None, "map_frame"),
    "surrogate in the layer": (replace(PLAIN, layer=LONE_SURROGATE), None, "layer"),
    "surrogate in the id": (replace(PLAIN, observation_id=LONE_SURROGATE), None, "id"),
    "20 MB of text": (replace(PLAIN, text="x" * 20_000_000), None, "20000000"),
    "unknown layer": (replace(PLAIN, layer="smell"), UNIT, "'smell'"),
    "negative stamp": (replace(PLAIN, stamp_ns=-1), UNIT, "stamp is -1"),
    "stamp 2^63": (replace(PLAIN, stamp_ns=2**63), UNIT, "stamp is 9223372036854775808"),
    "id of the memory's own": (replace(PLAIN, observation_id="observation_1"), UNIT, "id"),
    "id of another": (replace(PLAIN, observation_id="first"), UNIT, "'first'"),
    "vector NaN": (PLAIN, np.full(16, math.nan), "length is nan"),
    "vector inf": (PLAIN, np.full(16, math.inf), "length is inf"),
    "vector 1e300": (PLAIN, 1e300 * UNIT, "length is"),
    "vector zero": (PLAIN, np.zeros(16), "length is 0"),
    "vector too short": (PLAIN, UNIT[:15], r"shape \(15,\)"),
    "vector of another shape": (PLAIN, UNIT[None], r"shape \(1, 16\)"),
}


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("case", UNUSABLE)
def test_observation_that_cannot_be_used_is_refused_alone(
    writer: Writer, search: Search, case: str
) -> None:
    unusable, vector, named = UNUSABLE[case]
    before = writer.submit(replace(numbered.observation(0), observation_id="first"), None)
    refused = _submitted(writer, unusable, vector)
    after = writer.submit(numbered.observation(4), numbered.vector(4))
    writer.flush()
    with pytest.raises(InputError, match=named):
        refused.result()
    stored = {hit.item_id for hit in search.between(0, LAST_NS, 10).hits}
    assert stored == {before.result(), after.result()}
    numbered.assert_found(search, 4, after.result())
    assert search.words("text", 5).hits == ()


def test_all_that_cannot_be_used_together_harms_no_neighbour(
    writer: Writer, search: Search, tmp_path: Path
) -> None:
    first = writer.submit(replace(numbered.observation(1000), observation_id="first"), None)
    refused, kept = [], {}
    for number, (unusable, vector, _) in enumerate(UNUSABLE.values()):
        with np.errstate(over="ignore"):
            refused.append(_submitted(writer, unusable, vector))
        kept[8 * number] = writer.submit(numbered.observation(8 * number), numbered.vector(number))
    writer.flush()
    assert all(isinstance(future.exception(), InputError) for future in refused)
    ids = {first.result(), *(future.result() for future in kept.values())}
    assert {hit.item_id for hit in search.between(0, LAST_NS, 100).hits} == ids
    numbered.assert_whole(tmp_path)


def test_text_with_nul_is_kept_and_found_by_the_words_on_both_sides(
    writer: Writer, search: Search, tmp_path: Path
) -> None:
    text = "left\0right"
    future = writer.submit(replace(PLAIN, text=text), UNIT)
    writer.flush()
    for found in (search.words("left"), search.words("right"), search.semantic(UNIT)):
        assert [(hit.item_id, hit.text) for hit in found.hits] == [(future.result(), text)]
    assert writer.add(replace(PLAIN, text=text)) != future.result()
    assert set(writer.texts_without_vector(9).values()) == set()
    numbered.assert_whole(tmp_path)


@pytest.mark.parametrize("stamp_ns", [0, LAST_NS])
def test_first_and_last_stamp_there_can_be_are_stamps_like_others(
    writer: Writer, search: Search, stamp_ns: int
) -> None:
    observation_id = writer.add(replace(PLAIN, stamp_ns=stamp_ns))
    exactly = Filter(since_ns=stamp_ns, until_ns=stamp_ns)
    for found in (
        search.between(stamp_ns, stamp_ns),
        search.words(numbered.word(2), 3, exactly),
        search.near(numbered.place_map_m(2), 0.0, 3, exactly),
    ):
        assert [(hit.item_id, hit.start_ns) for hit in found.hits] == [(observation_id, stamp_ns)]


def test_observations_without_an_id_get_one_each_although_they_are_equal(writer: Writer) -> None:
    futures = [writer.submit(PLAIN), writer.submit(PLAIN), writer.submit(PLAIN)]
    writer.flush()
    assert len({future.result() for future in futures}) == 3
    assert writer.counts().observations == 3


@pytest.mark.parametrize("is_one_batch", [True, False])
def test_same_observation_twice_under_one_id_is_stored_once(
    writer: Writer, is_one_batch: bool
) -> None:
    named = replace(PLAIN, observation_id="camera:17")
    first = writer.submit(named, UNIT)
    if not is_one_batch:
        writer.flush()
    again, other = writer.submit(named, UNIT), writer.submit(replace(named, text="another"))
    writer.flush()
    assert first.result() == again.result() == "camera:17"
    with pytest.raises(InputError, match="another observation has the id 'camera:17'"):
        other.result()
    assert writer.counts().observations == 1


def test_place_beyond_all_limits_in_the_database_is_near_nothing_and_harms_no_search(
    writer: Writer, search: Search, tmp_path: Path
) -> None:
    """No writer lets it in today."""
    far, near = (writer.add(numbered.observation(number)) for number in (2, 4))
    with closing(sqlite3.connect(tmp_path / DATABASE_NAME, isolation_level=None)) as other:
        other.execute("UPDATE observation SET x = 1e300 WHERE observation_key = 1")
    assert [hit.item_id for hit in search.words(numbered.word(2)).hits] == [far]
    assert [hit.item_id for hit in search.near((0.0, 0.0, 0.0), 1e6).hits] == [near]


_GIST = Gist("a room", "map", "map", (0.0, 0.0, 0.0), 1.0, 0, 1)


@pytest.mark.parametrize(
    "gist",
    [
        replace(_GIST, text=LONE_SURROGATE),
        replace(_GIST, source=LONE_SURROGATE),
        replace(_GIST, map_id=LONE_SURROGATE),
        replace(_GIST, text="x" * 20_000_000),
        replace(_GIST, center_map_m=(1e300, 0.0, 0.0)),
        replace(_GIST, radius_m=1e300),
        replace(_GIST, radius_m=math.nan),
        replace(_GIST, end_ns=2**63),
        replace(_GIST, start_ns=-1),
        replace(_GIST, observation_ids=("observation_99",)),
        replace(_GIST, observation_ids=(LONE_SURROGATE,)),
        replace(_GIST, episode_id=LONE_SURROGATE),
    ],
)
def test_gist_that_cannot_be_used_is_refused_and_leaves_nothing(
    writer: Writer, search: Search, gist: Gist
) -> None:
    before = writer.counts()
    with pytest.raises(InputError):
        writer.add_gist(gist)
    assert writer.counts() == before
    assert search.words("room").hits == ()
    assert writer.add_gist(_GIST) == "gist_1"


@pytest.mark.parametrize(
    ("name", "parent_id", "stamp_ns"),
    [
        (LONE_SURROGATE, "", 0),
        ("x" * 20_000_000, "", 0),
        ("patrol", LONE_SURROGATE, 0),
        ("patrol", "episode_999999999999999999", 0),
        ("patrol", "", -1),
        ("patrol", "", 2**63),
    ],
)
def test_episode_that_cannot_be_used_is_refused_and_leaves_nothing(
    writer: Writer, name: str, parent_id: str, stamp_ns: int
) -> None:
    before = writer.counts()
    with pytest.raises(InputError):
        writer.start_episode(name, parent_id, stamp_ns)
    assert writer.counts() == before
    episode_id = writer.start_episode("patrol", "", 5)
    for end_ns in (-1, 2**63):
        with pytest.raises(InputError):
            writer.end_episode(episode_id, end_ns)
    assert writer.end_episode(episode_id, 6).end_ns == 6


def test_stamps_that_go_back_are_found_in_the_order_of_time(writer: Writer, search: Search) -> None:
    stamps_s = [50, 40, 60, 10, 0, 55]
    for number, stamp_s in enumerate(stamps_s):
        writer.submit(replace(numbered.observation(number), stamp_ns=stamp_s * 1_000_000_000))
    writer.flush()
    for wanted in (Filter(), numbered.OBSERVATIONS):
        newest = search.between(10 * 10**9, 55 * 10**9, 9, wanted).hits
        assert [hit.start_ns // 10**9 for hit in newest] == [55, 50, 40, 10]
        assert [hit.start_ns for hit in search.between(0, LAST_NS, 1, wanted).hits] == [60 * 10**9]


def test_what_is_newer_than_now_counts_as_of_this_moment(writer: Writer, tmp_path: Path) -> None:
    """Cosines 0.8, 0.6 and 0.5; a half-life costs 0.35, and the clock was set back to 100 s."""
    for text, stamp_s, cosine in (("old", 90, 0.8), ("now", 100, 0.6), ("ahead", 1000, 0.5)):
        vector = np.zeros(16)
        vector[:2] = cosine, math.sqrt(1.0 - cosine**2)
        writer.submit(replace(PLAIN, stamp_ns=stamp_s * 10**9, text=text), vector)
    writer.flush()
    fusion = FusionConfig(recency_weight=0.35, recency_half_life_s=10.0)
    search = Search(tmp_path, SearchConfig(fusion=fusion))
    query = np.eye(16)[0]
    # distances 0.2 + 0.35, 0.4 + 0, 0.5 + 0
    found = search.semantic(query, 3, now_ns=100 * 10**9)
    assert [hit.text for hit in found.hits] == ["now", "ahead", "old"]
    # at the very start all lie ahead, and only meaning counts
    found = search.semantic(query, 3, now_ns=0)
    assert [hit.text for hit in found.hits] == ["old", "now", "ahead"]
    search.close()
