"""A graph that was written comes back equal, and what is none is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from xml.etree import ElementTree

import networkx as nx
import pytest

from memory_nodes.errors import InputError
from memory_nodes.geometry import PointEstimate
from memory_nodes.graph.exchange import (
    from_graphml,
    from_node_link,
    to_graphml,
    to_node_link,
)
from memory_nodes.graph.scene_graph import SceneGraph
from memory_nodes.records import AttributeValue, Relation
from memory_test_support.records import descriptor, keyframe, view
from memory_test_support.scenes import (
    KEYFRAMES,
    KITCHEN,
    RELATIONS,
    SLY,
    random_records,
    sly_records,
)

FORMS: dict[str, tuple[Callable[[SceneGraph], str], Callable[[str], SceneGraph]]] = {
    "node-link": (to_node_link, from_node_link),
    "graphml": (to_graphml, from_graphml),
}
ODD = PointEstimate((0.1 + 0.2, -1e-17, 1e300), tuple(1.0 / number for number in range(1, 10)))
SCENES = {
    "empty": SceneGraph(),
    "keyframes only": SceneGraph((), (), KEYFRAMES),
    "kitchen": SceneGraph(KITCHEN, RELATIONS, KEYFRAMES),
    "odd numbers": SceneGraph(
        [descriptor("mug_1", view(0), position=ODD)], (), [keyframe(0, stamp_s=9e9)]
    ),
    "parallel edges": SceneGraph(
        KITCHEN, [Relation("mug_1", word, "desk_1", (1, 2)) for word in ("on", "near")], KEYFRAMES
    ),
    "self-loop": SceneGraph(KITCHEN, [Relation("mug_1", "near", "mug_1", (1,))], KEYFRAMES),
    "sly texts": SceneGraph(*sly_records()),
    "painted": SceneGraph(
        [
            replace(
                KITCHEN[1],
                attribute_history={
                    "color": (AttributeValue("blue", None), AttributeValue("white", 2**62))
                },
            )
        ],
        (),
        KEYFRAMES,
    ),
    "by chance": SceneGraph(*random_records(50, 200, 80, 30)),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_graph_comes_back_equal(form: str, scene: SceneGraph) -> None:
    write, read = FORMS[form]
    found = read(write(scene))
    assert found == scene
    assert dict(found.graph.nodes(data=True)) == dict(scene.graph.nodes(data=True))
    assert list(found.graph.edges(keys=True, data=True)) == list(
        scene.graph.edges(keys=True, data=True)
    )


@pytest.mark.parametrize("form", FORMS)
def test_graph_that_came_back_can_be_asked_and_updated(form: str) -> None:
    write, read = FORMS[form]
    scene = SceneGraph(KITCHEN, RELATIONS, KEYFRAMES)
    found = read(write(scene))
    assert found.co_occurrence("desk_1") == {"mug_1": 2, "lamp_1": 1}
    assert found.keyframe_subgraph(3) == scene.keyframe_subgraph(3)
    for each in (found, scene):
        each.update(relations=[Relation("mug_1", "on", "desk_1", (3,))])
        each.remove(["lamp_1"])
    assert found == scene
    assert type(found.graph.nodes["mug_1"]["keyframe_ids"]) is tuple


def test_graph_written_before_there_were_histories_can_be_read() -> None:
    written = to_node_link(SCENES["kitchen"]).replace('"attribute_history": {}, ', "")
    assert "history" not in written
    assert from_node_link(written) == SCENES["kitchen"]


def test_node_link_is_what_networkx_reads() -> None:
    scene = SCENES["kitchen"]
    read = nx.node_link_graph(json.loads(to_node_link(scene)), edges="links")
    assert read.is_directed()
    assert set(read.nodes) == set(scene.graph.nodes)
    assert set(read.edges(keys=True)) == set(scene.graph.edges(keys=True))
    assert read.nodes["mug_1"]["covariance_m2"] == [
        *(pytest.approx(0.01), 0.0, 0.0),
        *(0.0, pytest.approx(0.01), 0.0),
        *(0.0, 0.0, pytest.approx(0.01)),
    ]
    assert read.nodes["lamp_1"]["status"] == "moved"


def test_graphml_is_readable_for_other_programs() -> None:
    root = ElementTree.fromstring(to_graphml(SCENES["kitchen"]))
    space = {"g": "http://graphml.graphdrawing.org/xmlns"}
    names = {key.get("id"): key.get("attr.name") for key in root.findall("g:key", space)}
    mug = root.find(".//g:node[@id='mug_1']", space)
    assert mug is not None
    data = {names[item.get("key")]: item.text for item in mug.findall("g:data", space)}
    assert (data["type"], data["status"], data["keyframe_ids"]) == ("mug", "present", "[1, 2]")
    assert json.loads(data["attributes"] or "") == {"color": "red"}
    assert json.loads(data["position_map_m"] or "") == [1.0, 2.0, 0.5]
    ids = [edge.get("id") for edge in root.findall(".//g:edge", space)]
    assert len(set(ids)) == len(RELATIONS)


def test_sly_texts_are_plain_utf8_in_a_file() -> None:
    for write, _ in FORMS.values():
        assert write(SCENES["sly texts"]).encode("utf-8")
    assert any("\ud800" in text for text in SLY)


NO_NODE_LINK = ["", "[]", "null", "{}", "{", '{"graph": {"keyframes": [[1]]}}', "[" * 100_000]
NO_GRAPHML = ["", "<", "<a/>", "{}", '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"/>']


@pytest.mark.parametrize("text", NO_NODE_LINK, ids=lambda text: text[:20])
def test_text_that_is_no_node_link_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="no node-link"):
        from_node_link(text)


@pytest.mark.parametrize("text", NO_GRAPHML)
def test_text_that_is_no_graphml_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="no GraphML"):
        from_graphml(text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"first_seen_ns": 1000000000', '"first_seen_ns": 1.5'),
        ('"first_seen_ns": 1000000000', '"first_seen_ns": true'),
        ('"status": "moved"', '"status": "eaten"'),
        ('"type": "mug"', '"type": 3'),
        ('"attributes": {"color": "red"}', '"attributes": ["red"]'),
        ('"attributes": {"color": "red"}', '"attributes": {"color": 3}'),
        ('"attribute_history": {}', '"attribute_history": {"color": ["blue"]}'),
        ('"attribute_history": {}', '"attribute_history": {"color": [["blue", "then"]]}'),
        ('"position_map_m": [1.0, ', '"position_map_m": ['),
        ('"position_map_m": [1.0, ', '"position_map_m": [NaN, '),
        ('"position_map_m": [1.0, ', '"position_map_m": [1' + "0" * 400 + ", "),
        ('"keyframe_ids": [1, 2]', '"keyframe_ids": [1, 99]'),
        ('"source": "mug_1"', '"source": "cup_1"'),
        ('"target": "desk_1"', '"target": []'),
        ('"view_count": 2', '"views": 2'),
    ],
)
def test_node_link_with_one_wrong_value_is_refused(old: str, new: str) -> None:
    written = to_node_link(SCENES["kitchen"])
    assert old in written
    with pytest.raises(InputError, match="no node-link"):
        from_node_link(written.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (">moved<", ">eaten<"),
        (">[1, 2]<", ">[1, 99]<"),
        (">[1, 2]<", ">[1, 2<"),
        ('target="desk_1"', 'target="cup_1"'),
        (">2000000000<", ">soon<"),
        ('attr.name="view_count"', 'attr.name="views"'),
    ],
)
def test_graphml_with_one_wrong_value_is_refused(old: str, new: str) -> None:
    written = to_graphml(SCENES["kitchen"])
    assert old in written
    with pytest.raises(InputError, match="no GraphML"):
        from_graphml(written.replace(old, new))
