"""What a report on a memory says, before it is a page or a picture."""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

from PIL import Image, ImageOps

from memory_nodes.dates import Dates
from memory_nodes.drawing.map_picture import DPI, draw_map
from memory_nodes.drawing.object_texts import place_text, what_text
from memory_nodes.episodic.history.summary import summary
from memory_nodes.episodic.history.tree import HistoryTree
from memory_nodes.errors import ImageError
from memory_nodes.perception.crops import crops
from memory_nodes.records import NS_PER_S, ItemKind, ObjectDescriptor
from memory_nodes.retrieval.snapshot import Snapshot, SnapshotCache
from memory_nodes.store.filters import Filter
from memory_nodes.store.hits import Hit
from memory_nodes.store.observations import MAX_STAMP_NS
from memory_nodes.store.past import Past
from memory_nodes.store.reader import Reader
from memory_nodes.store.search import Search
from memory_nodes.store.statistics import Statistics, disk_use, statistics

MAX_GISTS = 500
MAX_TIMELINE = 300
CROP_MARGIN = 0.25
THUMBNAIL_PX = (180, 140)


@dataclass(frozen=True)
class ReportedObject:
    """One line of the table of objects."""

    object_id: str
    what: str
    where: str
    map_id: str
    last_seen: str
    view_count: int
    picture: Image.Image | None
    """Of its newest view that has an image still."""


@dataclass(frozen=True)
class ReportedTime:
    """One line of the timeline; ``depth``: how many lines it is below the highest."""

    when: str
    text: str
    depth: int


@dataclass(frozen=True)
class Report:
    """Texts as they are in the memory: what a camera or a model said, to be escaped."""

    title: str
    maps: tuple[tuple[str, bytes], ...]
    """Name and PNG of each map that has keyframes."""
    objects: tuple[ReportedObject, ...]
    """Those seen last come first."""
    objects_left_out: int
    timeline: tuple[ReportedTime, ...]
    timeline_left_out: int
    figures: tuple[tuple[str, str], ...]
    """Name and value: how much there is, what it takes on disk, and what was dropped."""


def report(memory_dir: Path, dates: Dates, max_objects: int) -> Report:
    """Raises StoreMissing while there is no memory."""
    with closing(Reader(memory_dir)) as reader:
        found = statistics(reader, memory_dir)
        snapshot = SnapshotCache(reader).current()
    with closing(Search(memory_dir, saves_caches=False)) as search:
        only_gists = Filter(kinds=(ItemKind.GIST,))
        gists = search.between(0, MAX_STAMP_NS, MAX_GISTS, only_gists).hits
        searchable = search.count(Filter(kinds=(ItemKind.OBSERVATION,)))
    lines = _timeline(memory_dir, found, dates)
    newest_first = sorted(snapshot.objects, key=lambda item: -item.last_seen_ns)
    return Report(
        title=f"Memory of {dates.span(found.first_stamp_ns, found.last_stamp_ns)}",
        maps=tuple(_maps(snapshot, gists)),
        objects=tuple(
            _reported(item, snapshot, memory_dir, dates) for item in newest_first[:max_objects]
        ),
        objects_left_out=max(0, len(newest_first) - max_objects),
        timeline=tuple(lines[:MAX_TIMELINE]),
        timeline_left_out=max(0, len(lines) - MAX_TIMELINE),
        figures=(*_counts(found, snapshot, searchable), *_disk(memory_dir, found)),
    )


def _maps(snapshot: Snapshot, gists: Sequence[Hit]) -> list[tuple[str, bytes]]:
    """The map of the newest keyframe comes first."""
    newest = {item.map_id: key for key, item in sorted(snapshot.keyframes.items())}
    drawn = []
    for map_id in sorted(newest, key=newest.__getitem__, reverse=True):
        shown = snapshot.filtered(Filter(map_id=map_id))
        figure = draw_map(shown, gists=gists, has_uncertainty=True)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=DPI)
        drawn.append((map_id, buffer.getvalue()))
    return drawn


def _reported(
    item: ObjectDescriptor, snapshot: Snapshot, memory_dir: Path, dates: Dates
) -> ReportedObject:
    return ReportedObject(
        object_id=item.object_id,
        what=what_text(item),
        where=place_text(item.position),
        map_id=snapshot.keyframes[item.views[-1].keyframe_id].map_id,
        last_seen=dates.moment(item.last_seen_ns),
        view_count=item.view_count,
        picture=_picture(item, snapshot, memory_dir),
    )


def _picture(item: ObjectDescriptor, snapshot: Snapshot, memory_dir: Path) -> Image.Image | None:
    for view in reversed(item.views):
        path = snapshot.keyframes[view.keyframe_id].image_path
        if not path:
            continue
        try:
            (picture,) = crops(memory_dir / path, [view.box], CROP_MARGIN)
        except ImageError:
            continue
        return ImageOps.contain(picture, THUMBNAIL_PX)
    return None


def _timeline(memory_dir: Path, found: Statistics, dates: Dates) -> list[ReportedTime]:
    with closing(Past(memory_dir)) as past:
        told = summary(past, found.first_stamp_ns, found.last_stamp_ns, 0, dates)
        return [
            ReportedTime(dates.span(node.start_ns, node.end_ns), node.text, depth)
            for node, depth in HistoryTree(past, dates).down_to_events(told.nodes)
        ]


def _counts(found: Statistics, snapshot: Snapshot, searchable: int) -> list[tuple[str, str]]:
    counts = found.counts
    imageless = sum(not item.image_path for item in snapshot.keyframes.values())
    told = {key: value for key, value in asdict(counts).items() if key not in _NOT_TOLD}
    return [
        *((name.replace("_", " "), f"{value:,}") for name, value in told.items()),
        ("images kept no longer", f"{imageless:,}"),
        ("observations archived", f"{max(0, counts.observations - searchable):,}"),
    ]


_NOT_TOLD = ("sequence", "last_chunk_id")


def _disk(memory_dir: Path, found: Statistics) -> list[tuple[str, str]]:
    used = disk_use(memory_dir)
    parts = [(f"disk: {name}", _megabytes(used[name])) for name in sorted(used) if used[name]]
    total = sum(used.values())
    per_keyframe = total / max(1, found.counts.keyframes)
    days = (found.last_stamp_ns - found.first_stamp_ns) / NS_PER_S / 86_400
    return [
        *parts,
        ("disk in all", _megabytes(total)),
        ("disk per keyframe", f"{per_keyframe / 1e3:.0f} kB"),
        *([("disk per day", _megabytes(total / days))] if days >= 1.0 else []),
    ]


def _megabytes(size_bytes: float) -> str:
    return f"{size_bytes / 1e6:.2f} MB"
