"""What ranking needs of a graph, made once for many questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory_nodes.records import ObjectDescriptor, Relation
from memory_nodes.retrieval.object_words import ObjectWords
from memory_nodes.retrieval.relation_table import RelationTable


@dataclass(frozen=True)
class GraphIndex:
    """Words and relations of objects; row i everywhere is the i-th object."""

    object_ids: tuple[str, ...]
    row_of: Mapping[str, int]
    words: ObjectWords
    relations: RelationTable

    @classmethod
    def of(cls, objects: Sequence[ObjectDescriptor], relations: Sequence[Relation]) -> GraphIndex:
        row_of = {item.object_id: row for row, item in enumerate(objects)}
        return cls(
            object_ids=tuple(row_of),
            row_of=row_of,
            words=ObjectWords(objects, relations),
            relations=RelationTable.of(relations, row_of),
        )
