"""memory report"""

from __future__ import annotations

import argparse
import io
from pathlib import Path

from memory_nodes.cli.command import Command, Outcome
from memory_nodes.cli.options import add_time_zone, whole
from memory_nodes.dates import Dates
from memory_nodes.drawing.report import report
from memory_nodes.drawing.report_page import report_page
from memory_nodes.drawing.report_picture import report_picture
from memory_nodes.errors import InputError
from memory_nodes.perception.images import write_durably


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "target",
        nargs="?",
        type=Path,
        default=Path("memory_report.html"),
        help="the page; a picture of it lies beside it as .png (default: %(default)s)",
    )
    parser.add_argument(
        "--max-objects",
        type=whole(least=0),
        default=200,
        metavar="N",
        help="objects in the table, those seen last (default: %(default)s)",
    )
    add_time_zone(parser)


def _run(memory_dir: Path, arguments: argparse.Namespace) -> Outcome:
    """Replaces a report of the same name."""
    page_path: Path = arguments.target
    if page_path.suffix != ".html":
        raise InputError(f"{page_path} cannot be a report: give a name that ends in .html")
    found = report(memory_dir, Dates(arguments.time_zone), arguments.max_objects)
    picture_path = page_path.with_suffix(".png")
    buffer = io.BytesIO()
    report_picture(found).save(buffer, "PNG")
    write_durably(page_path, report_page(found).encode("utf-8"))
    write_durably(picture_path, buffer.getvalue())
    return Outcome(
        (str(page_path), str(picture_path)),
        {
            "page": str(page_path),
            "picture": str(picture_path),
            "objects": len(found.objects),
            "objects_left_out": found.objects_left_out,
            "figures": dict(found.figures),
        },
    )


COMMAND = Command(
    "report", "draw a memory as a page and a picture: map, objects, timeline", _run, _add_arguments
)
