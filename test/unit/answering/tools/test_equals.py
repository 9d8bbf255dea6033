"""Among texts that fit equally the newer comes first, and only among these."""

from __future__ import annotations

from memory_nodes.answering.tools.equals import newest_of_equals
from memory_nodes.records import ItemKind
from memory_nodes.store.hits import Hit


def hit(
    item_id: str,
    text: str,
    score: float,
    stamp_ns: int,
    kind: ItemKind = ItemKind.OBSERVATION,
    layer: str = "",
) -> Hit:
    return Hit(kind, item_id, text, score, stamp_ns, stamp_ns, "map", None, layer=layer)


def order(query: str, *hits: Hit) -> list[str]:
    return [item.item_id for item in newest_of_equals(query, hits)]


def test_newer_of_two_that_nearly_tie_comes_first() -> None:
    old = hit("old", "kitchen: kettle, plate", 0.0328, 1)
    new = hit("new", "hall: coat, kettles", 0.0320, 2)
    assert order("the kettle", old, new) == ["new", "old"]


def test_text_that_fits_clearly_better_stays_first() -> None:
    old = hit("old", "kettle", 0.0328, 1)
    new = hit("new", "kettle and more", 0.0160, 2)
    assert order("kettle", old, new) == ["old", "new"]


def test_text_that_lacks_a_word_is_no_equal() -> None:
    red = hit("red", "red kettle", 0.0328, 1)
    any_one = hit("any", "kettle", 0.0327, 2)
    assert order("red kettle", red, any_one) == ["red", "any"]


def test_other_thing_of_the_same_stem_is_no_equal() -> None:
    iron = hit("iron", "hair dryer, iron, toaster", 0.0328, 1)
    board = hit("board", "hair dryer, ironing board, hammer", 0.0327, 2)
    assert order("hair dryer and iron", iron, board) == ["iron", "board"]


def test_by_meaning_alone_the_order_stays() -> None:
    first = hit("first", "sofa", 0.0164, 1)
    second = hit("second", "armchair", 0.0163, 2)
    assert order("couch", first, second) == ["first", "second"]
    assert order("", first, second) == ["first", "second"]


def test_of_one_moment_the_better_stays_first() -> None:
    better = hit("better", "kettle", 0.0328, 1)
    other = hit("other", "kettle, plate", 0.0327, 1)
    assert order("kettle", better, other) == ["better", "other"]


def test_summary_and_another_source_are_no_equals() -> None:
    seen = hit("seen", "kettle", 0.0328, 1, layer="detections")
    heard = hit("heard", "kettle", 0.0327, 2, layer="speech")
    gist = hit("gist", "kettle, plate", 0.0326, 3, ItemKind.GIST)
    assert order("kettle", seen, heard, gist) == ["seen", "heard", "gist"]
