"""A memory in which some objects have two identities, and one has that of two."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from memory_nodes.records import ChunkGraph, ObjectDescriptor, ObjectView, Relation
from memory_nodes.store.writer import Writer
from memory_nodes.vectors import packed
from memory_test_support.records import box, descriptor, graph, keyframe, view

HERE = (3.0, 0.0, 0.5)
THERE = (3.0, 1.5, 0.5)


def vector(seed: int) -> bytes:
    numbers = np.random.default_rng(seed).normal(size=8)
    return packed(numbers / np.linalg.norm(numbers))


def _with_vector(seen: ObjectView, seed: int) -> ObjectView:
    return replace(seen, embedding=vector(seed))


def seen_here(number: int, *keyframe_ids: int, color: str = "red") -> ObjectDescriptor:
    """mug_<number> where the first one stands."""
    views = [_with_vector(view(k, point_map_m=HERE), k) for k in keyframe_ids]
    return descriptor(f"mug_{number}", *views, color=color, affordances=("drink from",))


def chunk(
    chunk_id: int, *objects: ObjectDescriptor, relations: tuple[Relation, ...] = ()
) -> ChunkGraph:
    """Of two keyframes, the numbers of which are two times the chunk's and one less."""
    frames = [keyframe(2 * chunk_id - 1), keyframe(2 * chunk_id)]
    return replace(graph(chunk_id, frames, objects, relations), embedding_model="clip")


def write_mugs(writer: Writer) -> None:
    """Three chunks of keyframes 1 to 6.

    mug_1 (keyframes 1, 2, 5) and cup_1 (keyframes 2, 3) are one; in keyframe 2 cup_1 is larger.
    mug_2 (keyframes 4, 6) is in 6 another object at another place. desk_1 is under most of them.
    """
    cup = replace(
        descriptor("cup_1", view(2, box(100.0, 100.0, 300.0)), description="on the desk"),
        attributes={"color": "dark red", "size": "small"},
        affordances=("drink from", "warm hands"),
    )
    writer.commit_chunk(
        chunk(
            1,
            seen_here(1, 1, 2),
            cup,
            descriptor("desk_1", view(1), view(2), color="white"),
            relations=(
                Relation("mug_1", "on", "desk_1", (1, 2)),
                Relation("cup_1", "on", "desk_1", (2,)),
                Relation("mug_1", "next to", "cup_1", (2,)),
            ),
        )
    )
    again = descriptor("cup_1", _with_vector(view(3, point_map_m=HERE), 30), color="dark red")
    writer.commit_chunk(
        chunk(
            2,
            again,
            seen_here(2, 4),
            descriptor("desk_1", view(3)),
            relations=(Relation("cup_1", "on", "desk_1", (3,)),),
        )
    )
    other = _with_vector(view(6, point_map_m=THERE), 60)
    writer.commit_chunk(
        chunk(
            3,
            seen_here(1, 5),
            descriptor("mug_2", other, color="blue"),
            descriptor("desk_1", view(6)),
            relations=(Relation("desk_1", "under", "mug_2", (6,)),),
        )
    )


def write_traces(writer: Writer) -> None:
    """What else a memory may know of objects: places that they left, events."""
    with writer.database.transaction() as connection:
        found = connection.execute("SELECT object_key FROM object ORDER BY 1 LIMIT 2")
        mug_1, cup_1 = (row[0] for row in found)
        for key in (mug_1, cup_1):
            connection.execute(
                "INSERT INTO object_place (object_key, map_key, x, y, z, covariance_m2, start_ns,"
                " end_ns) VALUES (?, 1, 1, 2, 3, '[]', 1, 2)",
                (key,),
            )
            connection.execute(
                "INSERT INTO object_event (object_key, kind, stamp_ns, detail)"
                " VALUES (?, 'moved', 3, '{}')",
                (key,),
            )
        connection.execute("UPDATE object SET placed_since = 5 WHERE object_key = ?", (mug_1,))
