"""A report as one picture, for a look at it and for tests."""

from __future__ import annotations

import io
from collections.abc import Sequence

from matplotlib.font_manager import FontProperties, findfont
from PIL import Image, ImageDraw, ImageFont

from memory_nodes.drawing.report import THUMBNAIL_PX, Report, ReportedObject

WIDTH_PX, MARGIN_PX, GAP_PX = 1800, 40, 24
FIGURES_PX = 420
"""Width of the column of figures beside the map."""
TILES, TILE_ROWS = 6, 3
MAX_LINES = 24
INK, FAINT, RULE = "#222222", "#777777", "#dddddd"
_TEXT_PX, _SMALL_PX, _HEAD_PX, _TITLE_PX = 17, 14, 24, 32


def report_picture(report: Report) -> Image.Image:
    """The newest map with the figures, pictures of objects seen last, and the timeline; RGB."""
    map_image = _map(report)
    top = max(map_image.height, len(report.figures) * (_TEXT_PX + 10))
    tiles = report.objects[: TILES * TILE_ROWS]
    tile_rows = -(-len(tiles) // TILES)
    tile_height = THUMBNAIL_PX[1] + 4 * (_SMALL_PX + 5) + GAP_PX
    lines = report.timeline[:MAX_LINES]
    heads = 3 * (_HEAD_PX + GAP_PX)
    below = tile_rows * tile_height + (len(lines) + 1) * (_TEXT_PX + 10)
    height = 2 * MARGIN_PX + _TITLE_PX + heads + top + below + 2 * GAP_PX
    sheet = Image.new("RGB", (WIDTH_PX, height), "white")
    draw = ImageDraw.Draw(sheet)
    draw.text((MARGIN_PX, MARGIN_PX), report.title, INK, _font(_TITLE_PX, is_bold=True))
    y = MARGIN_PX + _TITLE_PX + GAP_PX
    sheet.paste(map_image, (MARGIN_PX, y))
    _figures(draw, report.figures, MARGIN_PX + map_image.width + 2 * GAP_PX, y)
    y = _head(draw, _objects_head(report, len(tiles)), y + top + GAP_PX)
    for index, item in enumerate(tiles):
        row, column = divmod(index, TILES)
        x = MARGIN_PX + column * (WIDTH_PX - 2 * MARGIN_PX) // TILES
        _tile(sheet, draw, item, x, y + row * tile_height)
    y = _head(draw, "Timeline", y + tile_rows * tile_height)
    _timeline(draw, report, len(lines), y)
    return sheet


def _map(report: Report) -> Image.Image:
    """The first map, as large as it fits beside the figures."""
    if not report.maps:
        return Image.new("RGB", (1, 1), "white")
    _, png = report.maps[0]
    image = Image.open(io.BytesIO(png)).convert("RGB")
    width = WIDTH_PX - 2 * MARGIN_PX - FIGURES_PX - 2 * GAP_PX
    image.thumbnail((width, width))
    return image


def _figures(draw: ImageDraw.ImageDraw, figures: Sequence[tuple[str, str]], x: int, y: int) -> None:
    font = _font(_TEXT_PX)
    for name, value in figures:
        draw.text((x, y), _cut(name, font, FIGURES_PX - 150), FAINT, font)
        draw.text((x + FIGURES_PX, y), value, INK, font, anchor="ra")
        y += _TEXT_PX + 10


def _objects_head(report: Report, shown: int) -> str:
    total = len(report.objects) + report.objects_left_out
    return f"Objects: {total}, here those seen last" if total > shown else f"Objects: {total}"


def _tile(
    sheet: Image.Image, draw: ImageDraw.ImageDraw, item: ReportedObject, x: int, y: int
) -> None:
    """A picture and what is known of the object below it."""
    width = (WIDTH_PX - 2 * MARGIN_PX) // TILES - GAP_PX
    if item.picture is None:
        draw.rectangle((x, y, x + THUMBNAIL_PX[0], y + THUMBNAIL_PX[1]), outline=RULE)
    else:
        sheet.paste(item.picture, (x, y + THUMBNAIL_PX[1] - item.picture.height))
    y += THUMBNAIL_PX[1] + 6
    said = ((item.object_id, INK, True), (item.what, INK, False))
    known = ((item.where, FAINT, False), (item.last_seen, FAINT, False))
    for text, color, is_bold in (*said, *known):
        font = _font(_SMALL_PX, is_bold=is_bold)
        draw.text((x, y), _cut(text, font, width), color, font)
        y += _SMALL_PX + 5


def _timeline(draw: ImageDraw.ImageDraw, report: Report, shown: int, y: int) -> None:
    font, x, column = _font(_TEXT_PX), MARGIN_PX, 340
    for line in report.timeline[:shown]:
        draw.text((x, y), _cut(line.when, font, column - GAP_PX), FAINT, font)
        text_x = x + column + line.depth * GAP_PX
        room = WIDTH_PX - MARGIN_PX - text_x
        draw.text((text_x, y), _cut(line.text, font, room), INK, font)
        y += _TEXT_PX + 10
    more = len(report.timeline) + report.timeline_left_out - shown
    if more or not shown:
        note = f"{more} more lines" if shown else "Nothing has been told yet."
        draw.text((x, y), note, FAINT, font)


def _head(draw: ImageDraw.ImageDraw, text: str, y: int) -> int:
    """Gives where what is below it begins."""
    draw.line((MARGIN_PX, y, WIDTH_PX - MARGIN_PX, y), RULE, 2)
    draw.text((MARGIN_PX, y + 10), text, INK, _font(_HEAD_PX, is_bold=True))
    return y + _HEAD_PX + GAP_PX + 10


def _font(size_px: int, *, is_bold: bool = False) -> ImageFont.FreeTypeFont:
    """Of those that matplotlib brings along: they have the letters of most languages."""
    weight = "bold" if is_bold else "normal"
    return ImageFont.truetype(
        findfont(FontProperties(family="DejaVu Sans", weight=weight)), size_px
    )


def _cut(text: str, font: ImageFont.FreeTypeFont, width_px: int) -> str:
    """One line that has room; a longer one ends in dots."""
    line = " ".join(text.split())
    if font.getlength(line) <= width_px:
        return line
    while line and font.getlength(line + "\u2026") > width_px:
        line = line[:-1]
    return line + "\u2026"
