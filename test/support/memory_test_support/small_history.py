"""A small history that is told: two tasks on a Monday, one two weeks later, with a picture."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from memory_nodes.records import Relation
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer
from memory_test_support.records import descriptor, graph, keyframe, view
from memory_test_support.told import DAY_S, at, ns, tell, teller_of

MORNING_S = 1_788_760_800
"""Mon 7 Sep 2026, 8:00 in Berlin."""
NOW_NS = ns(MORNING_S + 15 * DAY_S)


def tell_small_history(
    writer: Writer, past: Past, memory_dir: Path, *, heard: str = "thank you"
) -> None:
    """Making tea with a kettle on a shelf (keyframe 1), watering the fern, and tea again.

    ``heard``: what a person says, and what the last task is called.
    """
    for number, name in ((0, "make tea"), (1, "water the fern"), (14 * 24, heard)):
        begin_s = MORNING_S + 3600 * number
        episode_id = writer.start_episode(name, "", ns(begin_s))
        writer.add(at(begin_s, "action", "walk"))
        if number == 0:
            shown = [descriptor("kettle_1", view(1)), descriptor("shelf_1", view(1))]
            on = Relation("kettle_1", "on", "shelf_1", (1,))
            writer.commit_chunk(graph(1, [keyframe(1, stamp_s=begin_s + 5)], shown, [on]))
        writer.add(at(begin_s + 10, "speech", heard))
        writer.end_episode(episode_id, ns(begin_s + 20))
    (memory_dir / "images").mkdir(exist_ok=True)
    Image.new("RGB", (8, 6), "red").save(memory_dir / "images" / "1.jpg")
    tell(teller_of(writer, past), NOW_NS)
