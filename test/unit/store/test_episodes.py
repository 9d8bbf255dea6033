"""An observation belongs to the innermost episode that was active when it came."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_nodes.errors import InputError
from memory_nodes.records import NS_PER_S, EpisodeStatus, Tier
from memory_nodes.store import episodes
from memory_nodes.store.forgetting.selection import Forget
from memory_nodes.store.writer import Writer, WriterConfig
from memory_test_support.records import graph, keyframe, observation


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    opened = Writer(tmp_path, WriterConfig(batch_size=1000, batch_delay_s=60.0))
    yield opened
    opened.close()


def _rows(writer: Writer, query: str) -> list[tuple[Any, ...]]:
    with writer.database.reading() as connection:
        return [tuple(row) for row in connection.execute(query)]


def test_observation_belongs_to_the_innermost_active_episode(writer: Writer) -> None:
    writer.submit(observation("before"))
    outer = writer.start_episode("patrol", "", 0)
    writer.submit(observation("outer"))
    writer.start_episode("kitchen", outer, 0)
    writer.submit(observation("inner"))
    writer.end_episode("", 1)
    writer.submit(observation("outer again"))
    writer.end_episode(outer, 2)
    writer.submit(observation("after"))
    writer.flush()
    assert _rows(
        writer,
        "SELECT text, episode_key FROM observation JOIN text USING (text_key)"
        " ORDER BY observation_key",
    ) == [("before", None), ("outer", 1), ("inner", 2), ("outer again", 1), ("after", None)]


def test_episode_follows_the_one_before_it_under_the_same_parent(writer: Writer) -> None:
    first = writer.start_episode("first", "", 0)
    child = writer.start_episode("child", first, 0)
    writer.start_episode("second child", first, 0)
    writer.start_episode("grandchild", child, 0)
    writer.start_episode("second", "", 0)
    follows = _rows(writer, "SELECT from_key, to_key FROM edge WHERE kind = 'FOLLOWS'")
    inside = _rows(writer, "SELECT from_key, to_key FROM edge WHERE kind = 'SUBTASK_OF'")
    assert sorted(follows) == [(3, 2), (5, 1)]
    assert sorted(inside) == [(2, 1), (3, 1), (4, 2)]


def test_tier_of_an_observation_follows_its_episode_and_its_text(writer: Writer) -> None:
    writer.start_episode("patrol", "", 0)
    writer.add(observation("kept"))
    writer.add(observation("archived"))
    tiers = "SELECT tier FROM observation_tier ORDER BY observation_key"
    assert _rows(writer, tiers) == [(Tier.SHORT_TERM,), (Tier.SHORT_TERM,)]
    writer.end_episode("", 1)
    with writer.database.transaction() as connection:
        connection.execute("UPDATE observation SET text_key = NULL WHERE observation_key = 2")
    assert _rows(writer, tiers) == [(Tier.LONG_TERM,), (Tier.ARCHIVED,)]


def test_episode_never_ends_before_it_starts(writer: Writer) -> None:
    """Simulated time may have been set back."""
    writer.start_episode("patrol", "", 5)
    assert writer.end_episode("", 3).end_ns == 5


def test_name_that_is_no_unicode_is_refused_and_starts_nothing(writer: Writer) -> None:
    with pytest.raises(InputError, match="the name is no valid unicode"):
        writer.start_episode("\ud800", "", 0)
    assert writer.counts().episodes == 0


def test_episode_ends_with_all_that_are_active_within_it(writer: Writer) -> None:
    """At its stamp, or where they began after that when they began."""
    outer = writer.start_episode("patrol", "", 0)
    ended = writer.start_episode("ended", outer, 1)
    writer.end_episode(ended, 2)
    between = writer.start_episode("kitchen", outer, 3)
    writer.start_episode("table", between, 4)
    writer.start_episode("ahead of its time", between, 20)
    other = writer.start_episode("other", "", 5)
    writer.end_episode(outer, 9)
    query = "SELECT name, status, end_ns FROM episode ORDER BY episode_key"
    assert _rows(writer, query) == [
        ("patrol", EpisodeStatus.COMPLETED, 9),
        ("ended", EpisodeStatus.COMPLETED, 2),
        ("kitchen", EpisodeStatus.COMPLETED, 9),
        ("table", EpisodeStatus.COMPLETED, 9),
        ("ahead of its time", EpisodeStatus.COMPLETED, 20),
        ("other", EpisodeStatus.ACTIVE, None),
    ]
    writer.add(observation("afterwards"))
    assert _rows(writer, "SELECT episode_key FROM observation") == [(6,)]
    assert writer.end_episode("", 10).episode_id == other


def test_new_writer_closes_what_a_crash_left_open_with_all_within_it(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    outer = writer.start_episode("patrol", "", 0)
    writer.start_episode("kitchen", outer, 1)
    writer.add(observation("seen last", stamp_ns=7))
    writer.close()  # as a crash does, this ends no episode
    again = Writer(tmp_path)
    query = "SELECT status, end_ns FROM episode ORDER BY episode_key"
    assert _rows(again, query) == [(EpisodeStatus.INTERRUPTED, 7)] * 2
    again.add(observation("afterwards"))
    assert _rows(again, "SELECT episode_key FROM observation") == [(2,), (None,)]
    again.close()


def test_crash_ends_an_episode_at_the_last_stamp_of_what_came_since_it_began(
    tmp_path: Path,
) -> None:
    """Neither what was there before nor the stamp of a wrong clock makes it last for years."""
    year_s = 365.0 * 24.0 * 3600.0
    writer = Writer(tmp_path)
    writer.add(observation("before it, by a wrong clock", stamp_s=500.0))
    writer.commit_chunk(graph(1, [keyframe(1, stamp_s=600.0)], []))
    outer = writer.start_episode("patrol", "", 10 * NS_PER_S)
    writer.add(observation("a chair", stamp_s=20.0))
    writer.start_episode("kitchen", outer, 30 * NS_PER_S)
    writer.commit_chunk(graph(2, [keyframe(2, stamp_s=40.0)], []))
    writer.add(observation("in it, by a wrong clock", stamp_s=5.0 * year_s))
    writer.close()
    again = Writer(tmp_path)
    query = "SELECT status, end_ns FROM episode ORDER BY episode_key"
    assert _rows(again, query) == [(EpisodeStatus.INTERRUPTED, 40 * NS_PER_S)] * 2
    late = observation("a cup", stamp_s=30.0 * 24.0 * 3600.0, observation_id="chunk_3.text.1")
    again.commit_chunk(graph(3, [keyframe(3, stamp_s=late.stamp_ns / NS_PER_S)], []), [late])
    found = "SELECT episode_key FROM observation WHERE public_id IS NOT NULL"
    assert _rows(again, found) == [(None,)]
    again.close()


@pytest.mark.parametrize(
    ("episode_id", "key"),
    [
        *(("episode_0", 0), ("episode_17", 17)),
        *(("", None), ("17", None), ("episode_", None), ("xepisode_1", None)),
        *(("episode_1 ", None), ("episode_-1", None), ("episode_" + "9" * 19, None)),
    ],
)
def test_only_an_id_of_an_episode_names_a_key(episode_id: str, key: int | None) -> None:
    assert episodes.named_key(episode_id) == key


def test_id_of_a_forgotten_episode_is_never_given_again(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    first = writer.start_episode("one", "", 1)
    writer.end_episode(first, 2)
    writer.forget(Forget(ids=(first,)))
    assert writer.start_episode("two", "", 3) != first
    writer.close()
