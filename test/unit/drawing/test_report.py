"""What a report says of a memory, as a page and as a picture."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from memory_nodes.dates import Dates
from memory_nodes.drawing.report import Report, ReportedTime, report
from memory_nodes.drawing.report_page import report_page
from memory_nodes.drawing.report_picture import MAX_LINES, WIDTH_PX, report_picture
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer
from memory_test_support.full_memory import write_full_memory
from memory_test_support.records import descriptor, graph, keyframe, view
from memory_test_support.told import tell, teller_of
from memory_test_support.told_house import NOW_NS, write_told_house

HOSTILE = '<script>alert(1)</script><img src="http://example.org/x.png"> & "quotes"'


@pytest.fixture
def memory_dir(tmp_path: Path) -> Path:
    write_full_memory(tmp_path / "memory")
    return tmp_path / "memory"


class Page(HTMLParser):
    """The tags and addresses of a page, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.sources: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.sources += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data: str) -> None:
        self.text += data


def _report(memory_dir: Path, max_objects: int = 10) -> Report:
    return report(memory_dir, Dates("Europe/Berlin"), max_objects)


def test_report_has_every_map_and_the_objects(memory_dir: Path) -> None:
    found = _report(memory_dir)
    assert [name for name, _ in found.maps] == ["first floor", "map"]
    assert {item.object_id for item in found.objects} == {"mug_1", "desk_1"}


def test_timeline_is_that_of_the_history_down_to_its_events(tmp_path: Path) -> None:
    write_told_house(tmp_path)
    writer, past = Writer(tmp_path), Past(tmp_path)
    tell(teller_of(writer, past), NOW_NS)
    past.close()
    writer.close()
    told = {(line.depth, line.text) for line in _report(tmp_path).timeline}
    assert (1, "Saw: mug, desk, lamp.") in told
    assert (0, "Said: where is my passport.") in told


def test_figures_tell_what_was_dropped(memory_dir: Path) -> None:
    figures = dict(_report(memory_dir).figures)
    assert (figures["keyframes"], figures["observations archived"]) == ("3", "1")
    assert figures["images kept no longer"] == "0"
    assert float(figures["disk in all"].split()[0]) > 0.0


def test_objects_seen_last_come_first_and_the_rest_is_counted(memory_dir: Path) -> None:
    found = _report(memory_dir, max_objects=1)
    assert [item.object_id for item in found.objects] == ["mug_1"]
    assert found.objects_left_out == 1
    assert "1 more objects" in report_page(found)


def test_picture_of_an_object_is_of_its_newest_view_that_has_an_image(memory_dir: Path) -> None:
    """The image of keyframe 3 is of colour (3, 20, 30), that of keyframe 2 of (2, 20, 30)."""
    (mug,) = (item for item in _report(memory_dir).objects if item.object_id == "mug_1")
    assert mug.picture is not None
    assert np.abs(np.asarray(mug.picture)[0, 0].astype(int) - (3, 20, 30)).max() <= 2
    for path in (memory_dir / "images").glob("*.jpg"):
        path.unlink()
    assert all(item.picture is None for item in _report(memory_dir).objects)


def test_text_of_the_memory_stays_text(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    poster = descriptor("poster_1", view(1), description=HOSTILE)
    writer.commit_chunk(graph(1, [keyframe(1, map_id="<b>map</b>")], [poster]))
    writer.close()
    found = replace(_report(tmp_path), timeline=(ReportedTime("now", HOSTILE, 0),), title=HOSTILE)
    page = Page(report_page(found))
    assert set(page.tags).isdisjoint({"script", "b", "a", "link", "iframe"})
    assert page.text.count(HOSTILE) >= 3
    assert all(source.startswith("data:image/") for source in page.sources)


def test_name_that_looks_like_a_formula_is_drawn_as_it_is(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    mug = descriptor("mug$\\frac{$_1", view(1, point_map_m=(2.0, 0.0, 0.5)))
    writer.commit_chunk(graph(1, [keyframe(1, map_id="$\\frac{$")], [mug]))
    writer.close()
    ((name, _),) = _report(tmp_path).maps
    assert name == "$\\frac{$"


def test_page_needs_no_other_file_and_runs_nothing(memory_dir: Path) -> None:
    text = report_page(_report(memory_dir))
    assert "default-src 'none'; img-src data:" in text
    assert re.search(r"https?://", text) is None


def test_picture_is_drawn_of_a_memory_with_everything(memory_dir: Path) -> None:
    drawn = report_picture(_report(memory_dir))
    assert drawn.width == WIDTH_PX
    assert np.asarray(drawn).std() > 10.0


def test_picture_grows_with_the_timeline_up_to_its_limit(memory_dir: Path) -> None:
    found = _report(memory_dir)

    def height(lines: int) -> int:
        timeline = (ReportedTime("now", "x" * 500, 0),) * lines
        return report_picture(replace(found, timeline=timeline)).height

    assert height(1) < height(MAX_LINES) == height(MAX_LINES + 50)


def test_memory_without_keyframes_has_a_report_too(tmp_path: Path) -> None:
    Writer(tmp_path).close()
    found = _report(tmp_path)
    assert "No keyframe yet" in report_page(found)
    assert report_picture(found).width == WIDTH_PX
