"""An export says what the memory knows, in its public ids, and stays below exports/."""

from __future__ import annotations

import json
import re
import sqlite3
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from memory_nodes.errors import InputError, StoreError, StoreLocked, StoreMissing
from memory_nodes.graph.exchange import from_graphml, from_node_link
from memory_nodes.graph.scene_graph import SceneGraph
from memory_nodes.process_lock import hold
from memory_nodes.store.database import DATABASE_NAME
from memory_nodes.store.exchange import export_lines
from memory_nodes.store.exchange.exporting import FORMATS, LOCK_NAME, export
from memory_nodes.store.reader import Reader
from memory_nodes.store.texts import intern
from memory_nodes.store.writer import Writer
from memory_test_support.child import PROJECT
from memory_test_support.full_memory import (
    MODEL,
    observation,
    unit_vector,
)
from memory_test_support.records import descriptor, graph, keyframe, view


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _strict(text: str) -> Any:
    """JSON without NaN and Infinity, which are none."""

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    return json.loads(text, parse_constant=refuse)


def test_manifest_counts_the_lines_of_each_file(memory_dir: Path) -> None:
    path = export(memory_dir, "all", "jsonl")
    assert path == memory_dir / "exports" / "all"
    manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
    counts = manifest["counts"]
    for file in path.glob("*.jsonl"):
        assert counts.pop(file.name) == len(_lines(file)), file.name
    assert counts == {"images": 3}
    assert manifest["schema"] == 7
    assert manifest["embedding_model"] == {"model_id": "test-model", "dimension": 8}
    assert manifest["last_ids"] == {
        **{"entity": 2, "episode": 3, "gist": 1, "history_node": 2, "object_event": 2},
        "observation": 5,
    }


def test_observations_have_their_public_ids_texts_and_episodes(memory_dir: Path) -> None:
    path = export(memory_dir, "all", "jsonl")
    found = [
        (line["observation_id"], line["text"], line["episode_id"])
        for line in _lines(path / "observations.jsonl")
    ]
    assert found == [
        ("observation_1", "a red mug", "episode_2"),
        ("observation_2", None, "episode_2"),
        ("camera:7", "a red mug", "episode_3"),
        ("observation_4", "snowman \u2603, line one\nline two", "episode_3"),
        ("observation_5", "waits for its vector", "episode_3"),
    ]


def test_objects_have_every_state_and_view(memory_dir: Path) -> None:
    path = export(memory_dir, "all", "jsonl")
    reader = Reader(memory_dir)
    for line, known in zip(_lines(path / "objects.jsonl"), reader.objects(), strict=True):
        assert line["object_id"] == known.object_id
        assert [item["keyframe_id"] for item in line["views"]] == [
            item.keyframe_id for item in known.views
        ]
        assert known.position is not None
        assert line["position"]["point_map_m"] == list(known.position.point_m)
    reader.close()
    mug = _lines(path / "objects.jsonl")[0]
    assert [state["attributes"]["color"] for state in mug["states"]] == ["red", "dark red"]
    # 1.9 m ahead, 0.5 m to the left of and below the camera, around it 50 px by 50 px:
    u_px, v_px = 320.0 - 500.0 * 0.5 / 1.9, 240.0 + 500.0 * 0.5 / 1.9
    expected = [u_px - 25.0, v_px - 25.0, u_px + 25.0, v_px + 25.0]
    assert mug["views"][0]["box_px"] == pytest.approx(expected)
    assert (mug["map_id"], mug["map_frame"]) == ("first floor", "map")


def test_vectors_are_float16_in_base64(memory_dir: Path) -> None:
    path = export(memory_dir, "all", "jsonl")
    vectors = {line["text"]: line["vector"] for line in _lines(path / "embeddings.jsonl")}
    stored = np.frombuffer(b64decode(vectors["snowman \u2603, line one\nline two"]), "<f2")
    assert stored.shape == (MODEL.dimension,)
    np.testing.assert_allclose(stored, unit_vector(1000), atol=1e-3)
    assert "to be archived" not in vectors


def test_edges_name_both_ends_by_public_id(memory_dir: Path) -> None:
    path = export(memory_dir, "all", "jsonl")
    found = [(e["kind"], e["from_id"], e["to_id"]) for e in _lines(path / "edges.jsonl")]
    assert found == [
        ("COOCCURS_WITH", "entity_1", "entity_2"),
        ("FOLLOWS", "episode_3", "episode_2"),
        ("OBSERVED_IN", "entity_1", "observation_2"),
        ("OBSERVED_IN", "entity_1", "camera:7"),
        ("OBSERVED_IN", "entity_2", "camera:7"),
        ("SUMMARIZES", "gist_1", "observation_2"),
        ("SUMMARIZES", "gist_1", "camera:7"),
    ]


def test_every_kind_of_edge_that_is_written_can_be_exported() -> None:
    sources = "".join(path.read_text() for path in (PROJECT / "memory_nodes").rglob("*.py"))
    written = set(re.findall(r"INTO link VALUES \('(\w+)'", sources))
    assert written
    assert written <= export_lines.EDGE_ENDS.keys()


def test_edge_of_an_unknown_kind_is_no_silent_loss(memory_dir: Path) -> None:
    writer = Writer(memory_dir)
    with writer.database.transaction() as connection:
        connection.execute("INSERT INTO link VALUES ('DREAMS_OF', 1, 1, 1.0)")
    writer.close()
    with pytest.raises(StoreError, match="DREAMS_OF"):
        export(memory_dir, "all", "jsonl")
    assert list((memory_dir / "exports").iterdir()) == []


def test_text_that_nothing_uses_is_not_exported(memory_dir: Path) -> None:
    writer = Writer(memory_dir)
    with writer.database.transaction() as connection:
        key = intern(connection, ["of nobody"])["of nobody"]
    writer.store_vectors({key: unit_vector(1)})
    writer.close()
    path = export(memory_dir, "all", "jsonl")
    assert "of nobody" not in (path / "embeddings.jsonl").read_text(encoding="utf-8")


def test_export_is_of_one_moment(memory_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written between two tables is in none of them."""
    writer = Writer(memory_dir)
    whole = export_lines.FILES["chunks.jsonl"]

    def write_between(connection: sqlite3.Connection) -> Any:
        yield from whole(connection)
        writer.add(observation("too late"))
        writer.commit_chunk(graph(3, [keyframe(4)], [descriptor("lamp_1", view(4))]))

    monkeypatch.setattr(
        export_lines, "FILES", {**export_lines.FILES, "chunks.jsonl": write_between}
    )
    path = export(memory_dir, "all", "jsonl")
    writer.close()
    assert len(_lines(path / "observations.jsonl")) == 5
    assert len(_lines(path / "keyframes.jsonl")) == 3
    assert "lamp_1" not in (path / "objects.jsonl").read_text(encoding="utf-8")


@pytest.mark.parametrize("format_name", ["jsonl", "geojson", "graphml"])
def test_number_that_is_not_finite_is_written_as_null(memory_dir: Path, format_name: str) -> None:
    connection = sqlite3.connect(memory_dir / DATABASE_NAME)
    connection.execute("UPDATE object SET x = 9e999 WHERE object_id = 'mug_1'")
    connection.execute("UPDATE object SET covariance_m2 = '[NaN]' WHERE object_id = 'desk_1'")
    connection.execute("UPDATE view SET confidence = -9e999")
    connection.execute("UPDATE gist SET radius_m = 9e999")
    connection.commit()
    connection.close()
    path = export(memory_dir, "all", format_name)
    if format_name == "geojson":
        features = _strict(path.read_text(encoding="utf-8"))["features"]
        unplaced = [feature["id"] for feature in features if feature["geometry"] is None]
        assert unplaced == ["mug_1", "desk_1"]
        assert features[-1]["properties"]["radius_m"] is None
        return
    if format_name == "graphml":
        nodes = from_graphml(path.read_text(encoding="utf-8")).graph.nodes
        assert [nodes[name]["position_map_m"] for name in nodes] == [None, None]
        return
    objects = [_strict(line) for line in (path / "objects.jsonl").read_text().splitlines()]
    assert [item["position"] for item in objects] == [None, None]
    assert {item["confidence"] for line in objects for item in line["views"]} == {None}


@pytest.mark.parametrize(
    ("format_name", "read_back"), [("graphml", from_graphml), ("node-link", from_node_link)]
)
def test_graph_that_was_exported_comes_back_as_the_memory_has_it(
    memory_dir: Path, format_name: str, read_back: Callable[[str], SceneGraph]
) -> None:
    path = export(memory_dir, "graph", format_name)
    found = read_back(path.read_text(encoding="utf-8"))
    assert found == SceneGraph(*Reader(memory_dir).graph())
    assert list(found.graph.nodes) == ["mug_1", "desk_1"]
    assert found.graph.nodes["desk_1"]["description"] == 'a "wide" desk, näher'
    assert found.graph.nodes["mug_1"]["attributes"]["color"] == "dark red"
    edges = list(found.graph.edges(data=True))
    assert [(a, b, d["predicate"], d["keyframe_ids"]) for a, b, d in edges] == [
        ("mug_1", "desk_1", "on", (1,))
    ]


def test_exported_graphml_is_what_networkx_reads(memory_dir: Path) -> None:
    graph_read = nx.read_graphml(export(memory_dir, "graph.xml", "graphml"), force_multigraph=True)
    assert set(graph_read.nodes) == {"mug_1", "desk_1"}
    assert graph_read.nodes["mug_1"]["last_seen_ns"] == 3_000_000_000
    assert [(a, b, d["predicate"]) for a, b, d in graph_read.edges(data=True)] == [
        ("mug_1", "desk_1", "on")
    ]


def test_graphml_is_xml_whatever_a_model_said(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    odd = descriptor("mug_1", view(1), description="bell \x07 null \x00 <&> \uffff", color="r\x0bd")
    writer.commit_chunk(graph(1, [keyframe(1)], [odd]))
    writer.close()
    path = export(tmp_path, "g", "graphml")
    read = nx.read_graphml(path)
    assert read.nodes["mug_1"]["description"] == r"bell \u0007 null \u0000 <&> \uffff"
    found = from_graphml(path.read_text(encoding="utf-8")).graph.nodes["mug_1"]
    assert (found["description"], found["attributes"]["color"]) == (odd.description, "r\x0bd")


def test_cypher_has_a_statement_for_each_object_and_relation(memory_dir: Path) -> None:
    statements = export(memory_dir, "graph.cypher", "cypher").read_text(encoding="utf-8")
    kinds = [line.split(" ", 1)[0] for line in statements.splitlines()]
    assert kinds == ["CREATE", "MERGE", "MERGE", "MATCH"]


def test_geojson_has_points_in_metres_of_the_map(memory_dir: Path) -> None:
    read = _strict(export(memory_dir, "map.geojson", "geojson").read_text(encoding="utf-8"))
    assert read["type"] == "FeatureCollection"
    assert "not WGS84" in read["coordinate_system"]
    assert not read.keys() & {"coordinates", "geometry", "geometries", "properties"}  # RFC 7946
    by_id = {feature["id"]: feature for feature in read["features"]}
    gist = by_id["gist_1"]
    assert gist["geometry"] == {"type": "Point", "coordinates": [1.0, 2.0, 0.0]}
    assert (gist["properties"]["radius_m"], gist["properties"]["map_id"]) == (1.5, "map")
    assert by_id["entity_1"]["geometry"] == {"type": "Point", "coordinates": [1.0, 2.0, 0.0]}
    assert by_id["entity_1"]["properties"]["name"] == "mug"
    assert by_id["mug_1"]["properties"]["map_id"] == "first floor"
    assert len(by_id["mug_1"]["geometry"]["coordinates"]) == 3


@pytest.mark.parametrize("format_name", FORMATS)
def test_memory_without_anything_is_exported_too(tmp_path: Path, format_name: str) -> None:
    Writer(tmp_path).close()
    path = export(tmp_path, "empty", format_name)
    if format_name == "geojson":
        assert _strict(path.read_text())["features"] == []
    assert path.exists()


@pytest.mark.parametrize(
    "name",
    [
        *("", ".", "..", ".hidden", "../out", "a/b", "/etc/passwd", "a\\b", "a\0b", "a b", "a\n"),
        *("ä", "x" * 129, "-/..", "~"),
    ],
)
def test_name_that_is_not_plain_is_refused(memory_dir: Path, name: str) -> None:
    before = sorted(memory_dir.rglob("*"))
    with pytest.raises(InputError, match="cannot be the name of an export"):
        export(memory_dir, name, "jsonl")
    assert sorted(memory_dir.rglob("*")) == before


@pytest.mark.parametrize("format_name", ["jsonl", "geojson"])
def test_name_that_is_taken_is_refused_and_left_alone(memory_dir: Path, format_name: str) -> None:
    (memory_dir / "exports").mkdir()
    (memory_dir / "exports/mine").write_text("mine")
    with pytest.raises(InputError, match="is there already"):
        export(memory_dir, "mine", format_name)
    assert (memory_dir / "exports/mine").read_text() == "mine"


def test_unknown_format_is_refused_with_those_that_there_are(memory_dir: Path) -> None:
    with pytest.raises(InputError, match="'csv': choose one of jsonl, graphml, node-link"):
        export(memory_dir, "x", "csv")


def test_second_export_at_a_time_is_refused(memory_dir: Path) -> None:
    with hold(memory_dir / LOCK_NAME), pytest.raises(StoreLocked):
        export(memory_dir, "x", "jsonl")


def test_export_of_no_memory_makes_no_directory(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing):
        export(tmp_path / "nothing", "x", "jsonl")
    assert list(tmp_path.iterdir()) == []


def test_image_outside_the_memory_is_never_exported(memory_dir: Path, tmp_path: Path) -> None:
    (memory_dir / "secret.jpg").write_bytes(b"secret")
    connection = sqlite3.connect(memory_dir / DATABASE_NAME)
    connection.execute("UPDATE keyframe SET image_path = 'images/../secret.jpg'")
    connection.commit()
    connection.close()
    path = export(memory_dir, "all", "jsonl")
    assert not list(path.rglob("*.jpg"))


def test_image_that_still_shows_what_was_forgotten_is_not_exported(memory_dir: Path) -> None:
    connection = sqlite3.connect(memory_dir / DATABASE_NAME)
    connection.execute("INSERT INTO image_erasure (image_path) VALUES ('images/2.jpg')")
    connection.commit()
    connection.close()
    path = export(memory_dir, "all", "jsonl")
    assert sorted(item.name for item in path.rglob("*.jpg")) == ["1.jpg", "3.jpg"]
