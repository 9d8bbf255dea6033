"""An import gives back what was exported."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from memory_nodes.errors import InputError
from memory_nodes.records import NS_PER_S, EpisodeOrigin, HistoryUnit, ItemKind
from memory_nodes.store.database import DATABASE_NAME
from memory_nodes.store.doctor.doctor import examine
from memory_nodes.store.editing.edits import Merge, Pin, Rename
from memory_nodes.store.exchange.export_lines import FILES
from memory_nodes.store.exchange.exporting import export
from memory_nodes.store.exchange.import_lines import IMPORTS
from memory_nodes.store.exchange.importing import import_
from memory_nodes.store.filters import Filter
from memory_nodes.store.forgetting.selection import Forget
from memory_nodes.store.history_nodes import ToldUpTo
from memory_nodes.store.past import Past
from memory_nodes.store.reader import Reader
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer
from memory_test_support.full_memory import (
    observation,
    unit_vector,
)
from memory_test_support.records import descriptor, graph, keyframe, view


def _files(export_dir: Path) -> dict[str, bytes]:
    """Each file by its name; the manifest without the id of the memory."""
    found = {
        path.relative_to(export_dir).as_posix(): path.read_bytes()
        for path in export_dir.rglob("*")
        if path.is_file()
    }
    manifest = json.loads(found["manifest.json"])
    del manifest["memory_id"]
    return {**found, "manifest.json": json.dumps(manifest).encode()}


def test_every_file_of_an_export_has_its_way_back() -> None:
    assert list(IMPORTS) == list(FILES)


def test_export_of_an_import_has_the_same_files(exported: Path, tmp_path: Path) -> None:
    imported = import_(exported, tmp_path / "second")
    assert (imported.problems, imported.skipped, imported.images) == ([], 0, 3)
    again = export(tmp_path / "second", "all", "jsonl")
    assert _files(again) == _files(exported)


def test_import_is_another_memory_so_that_no_cache_is_taken_for_its_own(
    exported: Path, tmp_path: Path
) -> None:
    import_(exported, tmp_path / "second")
    again = export(tmp_path / "second", "all", "jsonl")
    ids = [json.loads((d / "manifest.json").read_text())["memory_id"] for d in (exported, again)]
    assert ids[0] != ids[1]


def test_import_knows_the_same_graph_and_is_sound(exported: Path, tmp_path: Path) -> None:
    import_(exported, tmp_path / "second")
    first, second = Reader(tmp_path / "memory"), Reader(tmp_path / "second")
    assert second.graph() == first.graph()
    assert second.embeddings("clip").object_ids == ("mug_1",)
    first.close()
    second.close()
    assert [item for item in examine(tmp_path / "second") if item.severity != "ok"] == []


def test_import_is_searched_by_words_and_by_meaning(exported: Path, tmp_path: Path) -> None:
    import_(exported, tmp_path / "second")
    search = Search(tmp_path / "second")
    try:
        words = search.words("snowman").hits
        assert [hit.item_id for hit in words] == ["observation_4"]
        nearest = search.semantic(unit_vector(1000), k=1).hits
        assert [hit.item_id for hit in nearest] == ["observation_4"]
    finally:
        search.close()


def test_ids_that_were_given_are_not_given_again(memory_dir: Path, tmp_path: Path) -> None:
    writer = Writer(memory_dir)
    with writer.database.transaction() as connection:
        connection.execute("DELETE FROM observation WHERE observation_key = 5")
    writer.close()
    import_(export(memory_dir, "all", "jsonl"), tmp_path / "second")
    writer = Writer(tmp_path / "second")
    assert writer.add(observation("new")) == "observation_6"
    assert writer.counts().last_chunk_id == 2
    writer.close()


def test_texts_without_a_vector_wait_again(exported: Path, tmp_path: Path) -> None:
    import_(exported, tmp_path / "second")
    first, second = (Writer(tmp_path / name) for name in ("memory", "second"))
    waiting = sorted(first.texts_without_vector(10).values())
    assert waiting
    assert sorted(second.texts_without_vector(10).values()) == waiting
    first.close()
    second.close()


@pytest.mark.parametrize(
    "manifest",
    [
        b"",
        b"{}",
        b'{"format": "something else", "version": 1}',
        b'{"format": "robot_memory jsonl", "version": 2}',
    ],
)
def test_export_without_a_manifest_of_this_version_is_refused(
    exported: Path, tmp_path: Path, manifest: bytes
) -> None:
    (exported / "manifest.json").write_bytes(manifest)
    with pytest.raises(InputError, match="no jsonl export that can be read"):
        import_(exported, tmp_path / "second")
    assert not (tmp_path / "second").exists()


def test_directory_that_is_no_export_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"manifest\.json"):
        import_(tmp_path, tmp_path / "second")


def test_memory_that_is_there_is_never_imported_over(exported: Path, tmp_path: Path) -> None:
    before = (tmp_path / "memory" / DATABASE_NAME).read_bytes()
    with pytest.raises(InputError, match="is there already"):
        import_(exported, tmp_path / "memory")
    assert (tmp_path / "memory" / DATABASE_NAME).read_bytes() == before


def test_entities_and_history_come_back_as_they_were(exported: Path, tmp_path: Path) -> None:
    import_(exported, tmp_path / "second")
    pasts = Past(tmp_path / "memory"), Past(tmp_path / "second")
    entities, again = (past.entities() for past in pasts)
    assert again == entities
    assert [(item.name, item.object_id) for item in again] == [("mug", "mug_1"), ("kitchen", "")]
    nodes, again_nodes = (past.history(["history_1", "history_2"]) for past in pasts)
    assert again_nodes == nodes
    assert [(node.parent_id, node.is_open) for node in nodes] == [("history_2", False), ("", True)]
    assert pasts[1].episodes() == pasts[0].episodes()
    search = Search(tmp_path / "second")
    wanted = Filter(kinds=(ItemKind.ENTITY,))
    assert [hit.item_id for hit in search.words("mug", wanted=wanted).hits] == ["entity_1"]
    for opened in (*pasts, search):
        opened.close()


def test_history_comes_back_whatever_its_levels_and_numbers(
    memory_dir: Path, tmp_path: Path
) -> None:
    writer = Writer(memory_dir)
    with writer.database.transaction() as connection:
        connection.execute(
            "INSERT INTO history_node (node_key, parent_key, level, start_ns, end_ns, text,"
            " evidence) VALUES (8, NULL, 2, 1, 9, 'a day', '[]'),"
            " (7, 8, 2, 1, 5, 'a morning', '[1]'), (6, 7, 3, 1, 5, 'an hour', '[]')"
        )
    writer.close()
    first = export(memory_dir, "all", "jsonl")
    assert import_(first, tmp_path / "second").problems == []
    assert _files(export(tmp_path / "second", "all", "jsonl")) == _files(first)


def test_what_was_consolidated_and_told_is_not_again_and_the_rest_is(tmp_path: Path) -> None:
    """Observation 2 is forgotten, so that the one with an id of its own gets another key."""
    source, target = tmp_path / "first", tmp_path / "second"
    writer = Writer(source)
    for number in range(1, 6):
        given = "camera:3" if number == 3 else ""
        writer.add(observation(f"free {number}", float(number), given))
    writer.forget(Forget(("observation_2",)))
    done = writer.start_episode("done", "", 6, EpisodeOrigin.GOAL)
    writer.add(observation("in an episode", 6.0))
    writer.end_episode(done, 7 * NS_PER_S)
    waiting = writer.start_episode("waiting", "", 8, EpisodeOrigin.SESSION)
    writer.end_episode(waiting, 9 * NS_PER_S)
    writer.finish_episode(done)
    writer.finish_free("camera:3")
    for chunk_id in (1, 2):
        writer.commit_chunk(graph(chunk_id, [keyframe(chunk_id)], []))
    writer.put_history([], told=ToldUpTo(chunk_id=1, observation_key=4))
    writer.close()
    assert import_(export(source, "all", "jsonl"), target).skipped == 0
    past = Past(target)
    assert [item.episode_id for item in past.episodes_to_consolidate(9)] == [waiting]
    free = past.free_observations(before_ns=99 * NS_PER_S, limit=9)
    assert [item.observation.text for item in free] == ["free 4", "free 5"]
    told = past.told_up_to()
    assert [scene.chunk_id for scene in past.scenes_after(told.chunk_id, 9)] == [2]
    untold = past.observations_after(told.observation_key, 9)
    assert [item.observation.text for item in untold] == ["free 5", "in an episode"]
    origins = [episode.origin for episode in past.episodes()]
    assert origins == [EpisodeOrigin.GOAL, EpisodeOrigin.SESSION]
    past.close()


def test_what_was_passed_over_waits_in_the_copy_too(tmp_path: Path) -> None:
    source, target = tmp_path / "first", tmp_path / "second"
    writer = Writer(source)
    for text, stamp_s in (("old", 1.0), ("of a wrong clock", 50.0), ("old too", 2.0)):
        writer.add(observation(text, stamp_s))
    writer.finish_free("observation_3", before_ns=9 * NS_PER_S)
    writer.close()
    assert import_(export(source, "all", "jsonl"), target).skipped == 0
    past = Past(target)
    free = past.free_observations(before_ns=99 * NS_PER_S, limit=9)
    assert [item.observation.text for item in free] == ["of a wrong clock"]
    past.close()


def _make_older(export_dir: Path) -> None:
    """As schema 5 would have written it: without entities, and the fields that came with them."""
    fresh: dict[str, set[str]] = {
        "chunks": {"is_told"},
        "episodes": {"origin", "is_consolidated"},
        "observations": {"is_consolidated", "is_told"},
        "history": {"unit", "source", "is_open"},
        "edges": set(),
        "embeddings": set(),
    }
    manifest = json.loads((export_dir / "manifest.json").read_text())
    for name, fields in fresh.items():
        path = export_dir / f"{name}.jsonl"
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        lines = [{n: v for n, v in line.items() if n not in fields} for line in lines]
        lines = [
            line
            for line in lines
            if line.get("kind") not in ("OBSERVED_IN", "COOCCURS_WITH")
            and line.get("text") not in ("mug", "kitchen")
        ]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        manifest["counts"][path.name] = len(lines)
    (export_dir / "entities.jsonl").unlink()
    del manifest["counts"]["entities.jsonl"], manifest["last_ids"]["entity"]
    (export_dir / "manifest.json").write_text(json.dumps(manifest))


def test_export_of_an_older_memory_is_imported_and_waits_to_be_consolidated(
    exported: Path, tmp_path: Path
) -> None:
    _make_older(exported)
    imported = import_(exported, tmp_path / "second")
    assert (imported.problems, imported.skipped) == ([], 0)
    past = Past(tmp_path / "second")
    assert past.told_up_to() == ToldUpTo(0, 0)
    assert [item.episode_id for item in past.episodes_to_consolidate(9)] == ["episode_2"]
    assert [node.unit for node in past.history(["history_1"])] == [HistoryUnit.GROUP]
    past.close()


def test_what_a_person_said_of_an_object_holds_in_an_import(tmp_path: Path) -> None:
    """The type of the first chunk is pinned, and the number of the merged mug_7 stays taken."""
    source, target = tmp_path / "first", tmp_path / "second"
    writer = Writer(source)
    seen = [descriptor("mug_1", view(1)), descriptor("mug_7", view(1))]
    writer.commit_chunk(graph(1, [keyframe(1)], seen))
    writer.edit(Merge("mug_1", ("mug_7",)), 1)
    writer.edit(Rename("mug_1", "grandpa"), 2)
    writer.edit(Pin("mug_1"), 3)
    again = replace(descriptor("mug_1", view(2)), type="vase", description="broken")
    writer.commit_chunk(graph(2, [keyframe(2)], [again]))
    writer.close()
    exported = export(source, "all", "jsonl")
    assert import_(exported, target).skipped == 0
    before, after = (Reader(directory).objects() for directory in (source, target))
    assert before == after
    assert (after[0].type, after[0].is_pinned, after[0].aliases) == ("mug", True, ("mug_7",))
    assert [hit.item_id for hit in Search(target).words("grandpa").hits] == ["mug_1"]
    assert Reader(target).highest_numbers(["mug_"]) == {"mug_": 7}
    assert (exported / "events.jsonl").read_text() == ""
