"""Forgets gists, or tells them anew without the observations that are forgotten."""

from __future__ import annotations

import math
import sqlite3
from dataclasses import replace

from memory_nodes.records import Gist, ItemKind
from memory_nodes.store import gists, rows, texts
from memory_nodes.store.forgetting.objects import Traces, delete, unlink
from memory_nodes.store.forgetting.selection import Chosen, among

MAX_CHARS = 1000
"""Of a gist that is told anew: it is a summary still."""
SOURCE = "rewritten after forgetting"
_LEFT = """
SELECT o.*, t.text FROM link JOIN observation o ON o.observation_key = link.to_key
LEFT JOIN text t USING (text_key)
WHERE link.kind = 'SUMMARIZES' AND link.from_key = ? ORDER BY o.stamp_ns, o.observation_key
"""


def summarising(connection: sqlite3.Connection, chosen: Chosen) -> set[int]:
    """The gists that say something of the observations, and stay otherwise."""
    where, values = among("to_key", chosen.observations)
    found = connection.execute(
        f"SELECT DISTINCT from_key FROM link WHERE kind = 'SUMMARIZES' AND {where}", values
    )
    return {row[0] for row in found} - chosen.gists


def forget_gists(connection: sqlite3.Connection, keys: set[int], traces: Traces) -> None:
    """Deletes them."""
    where, values = among("gist_key", keys)
    for text_key, start_ns, end_ns in connection.execute(
        f"SELECT text_key, start_ns, end_ns FROM gist WHERE {where}", values
    ):
        traces.text_keys.add(text_key)
        traces.spans_ns.add((start_ns, end_ns))
    unlink(connection, "SUMMARIZES", "from_key", keys)
    delete(connection, "gist", "gist_key", keys)
    texts.bury(connection, ItemKind.GIST, keys)


def rewritten(connection: sqlite3.Connection, key: int) -> Gist | None:
    """A gist as the observations tell it that are left; None where none of them has a text."""
    left = connection.execute(_LEFT, (key,)).fetchall()
    said = dict.fromkeys(row["text"] for row in left if row["text"] is not None)
    if not said:
        return None
    points = [(row["x"], row["y"], row["z"]) for row in left]
    x, y, z = (sum(axis) / len(points) for axis in zip(*points, strict=True))
    row = connection.execute(
        "SELECT g.episode_key, m.map_id, m.map_frame FROM gist g JOIN map m USING (map_key)"
        " WHERE gist_key = ?",
        (key,),
    ).fetchone()
    gist = Gist(
        text="; ".join(said)[:MAX_CHARS],
        map_id=row["map_id"],
        map_frame=row["map_frame"],
        center_map_m=(x, y, z),
        radius_m=max(math.dist((x, y, z), point) for point in points),
        start_ns=left[0]["stamp_ns"],
        end_ns=left[-1]["stamp_ns"],
        observation_ids=tuple(
            item["public_id"] or rows.observation_id(item["observation_key"]) for item in left
        ),
        source=SOURCE,
    )
    if row["episode_key"] is None:
        return gist
    return replace(gist, episode_id=rows.episode_id(row["episode_key"]))


def replace_gists(connection: sqlite3.Connection, keys: set[int], traces: Traces) -> None:
    """Puts gists that are told anew in the place of these; readers know no gist that changes."""
    anew = [gist for key in sorted(keys) if (gist := rewritten(connection, key)) is not None]
    forget_gists(connection, keys, traces)
    for gist in anew:
        gists.insert(connection, gist)
