"""A report as one HTML file that needs nothing else, and runs nothing."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable
from html import escape

from PIL import Image

from memory_nodes.drawing.report import Report, ReportedObject

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #222; max-width: 1200px; margin: 2em auto;
       padding: 0 1em; }
h1 { font-size: 1.5em; } h2 { font-size: 1.2em; margin-top: 2em; }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; border-bottom: 2px solid #ccc; }
th, td { padding: .35em .8em .35em 0; vertical-align: top; }
tr + tr td { border-top: 1px solid #eee; }
td.when { white-space: nowrap; color: #666; }
td.figure { text-align: right; font-variant-numeric: tabular-nums; }
table.figures { width: auto; }
img { max-width: 100%; } td img { display: block; border-radius: 4px; }
.note { color: #777; }
"""
# No script, no other file and no address on the net, whatever a text in the memory says.
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def report_page(report: Report) -> str:
    """All texts are escaped: they are what a camera or a model said."""
    return "\n".join(
        (
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width">',
            f"<title>{escape(report.title)}</title><style>{_STYLE}</style></head><body>",
            f"<h1>{escape(report.title)}</h1>",
            *_maps(report),
            *_objects(report),
            *_timeline(report),
            *_figures(report),
            "</body></html>",
            "",
        )
    )


def _maps(report: Report) -> Iterable[str]:
    if not report.maps:
        yield '<p class="note">No keyframe yet: there is no map to draw.</p>'
    for map_id, png in report.maps:
        yield f"<h2>Map {escape(map_id)}</h2>"
        yield f'<img alt="map {escape(map_id)}" src="{_data_url("png", png)}">'


def _objects(report: Report) -> Iterable[str]:
    yield "<h2>Objects</h2>"
    head = ("", "id", "what", "where", "map", "last seen", "views")
    yield "<table><tr>" + "".join(f"<th>{name}</th>" for name in head) + "</tr>"
    yield from map(_object, report.objects)
    yield "</table>"
    yield from _left_out(report.objects_left_out, "objects that were seen earlier")


def _object(item: ReportedObject) -> str:
    cells = (
        *(item.object_id, item.what, item.where, item.map_id, item.last_seen),
        str(item.view_count),
    )
    picture = "" if item.picture is None else f'<img alt="" src="{_jpeg_url(item.picture)}">'
    return (
        f"<tr><td>{picture}</td>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
    )


def _timeline(report: Report) -> Iterable[str]:
    yield "<h2>Timeline</h2>"
    if not report.timeline:
        yield '<p class="note">Nothing has been told yet.</p>'
    yield "<table>"
    for line in report.timeline:
        when = f'<td class="when">{escape(line.when)}</td>'
        text = f'<td style="padding-left: {1.5 * line.depth:g}em">{escape(line.text)}</td>'
        yield f"<tr>{when}{text}</tr>"
    yield "</table>"
    yield from _left_out(report.timeline_left_out, "lines")


def _figures(report: Report) -> Iterable[str]:
    yield '<h2>What it holds and costs</h2><table class="figures">'
    for name, value in report.figures:
        yield f'<tr><td>{escape(name)}</td><td class="figure">{escape(value)}</td></tr>'
    yield "</table>"


def _left_out(count: int, what: str) -> Iterable[str]:
    if count:
        yield f'<p class="note">{count} more {what} are left out.</p>'


def _jpeg_url(picture: Image.Image) -> str:
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=80)
    return _data_url("jpeg", buffer.getvalue())


def _data_url(kind: str, data: bytes) -> str:
    return f"data:image/{kind};base64,{base64.b64encode(data).decode('ascii')}"
