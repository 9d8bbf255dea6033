"""An entity that a piece shows first is one entity in all views of the piece."""

from __future__ import annotations

from pathlib import Path

from memory_nodes.records import EntitySighting
from memory_nodes.store.consolidation import Piece
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer
from memory_test_support.records import gist, observation


def _sighting(name: str, entity_id: str, observation_id: str) -> EntitySighting:
    return EntitySighting(name, (0.0, 0.0, 0.0), 1.0, 0, (observation_id,), entity_id)


def test_new_entities_are_told_apart_by_what_stands_for_their_ids(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    ids = tuple(writer.add(observation(f"view {number}")) for number in range(2))
    views = tuple(
        (_sighting("chair", "new_0", own), _sighting("chair", "new_1", own)) for own in ids
    )
    writer.add_piece(Piece(gist(observation_ids=ids), views))
    past = Past(tmp_path)
    assert [entity.observation_count for entity in past.entities()] == [2, 2]
    unnamed = writer.add(observation("another view"))
    alone = ((_sighting("lamp", "", unnamed),), (_sighting("lamp", "", unnamed),))
    writer.add_piece(Piece(gist(observation_ids=(unnamed,)), alone))
    assert [entity.observation_count for entity in past.entities()] == [2, 2, 1, 1]
    past.close()
    writer.close()
