"""How right identities are: on the tour, and in a synthetic house over ten days.

Each is resolved by a model that loses or swaps ERROR_RATE of the identities, and by words and
places alone; the tour by a real language model too, where one is given. The goals: identity_f1
0.9, moved_found and missing_found 0.9, missing_false 0, moved_false at most 1 on the tour,
same_frame_merges 0, one_chair_300 1, five_chairs 5, three_doors 3, ten_thousand_known_ms 50.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from benchmark.identity.house import five_chairs, house_days, one_chair_300, ten_days
from benchmark.identity.scale import ManyThings
from benchmark.identity.tour import tour_figures
from benchmark.language_server import add_argument, language_server

ERROR_RATE = 0.1
RESOLVERS = ("model", "deterministic")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_argument(parser)


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Figures by place and resolver; what a key means is told where it is made.

    Raises as language_server does, before anything is measured.

    instances_found counts objects in the memory. prompt_tokens_per_chunk is what the stand-in
    server reports on the tour, and words x 1.3 in the house and among ten thousand things.
    In the house missing_false counts things called missing while the detector was down,
    missing_false_elsewhen on the other days.
    """
    gguf = arguments.gguf
    with language_server(gguf) if gguf is not None else nullcontext() as language_url:
        tour = asyncio.run(tour_figures(ERROR_RATE, language_url))
    return {"tour": tour, "house": _house()}


def _house() -> dict[str, Any]:
    days = house_days()
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as directory:
        many = ManyThings(Path(directory))
        for name in RESOLVERS:
            error_rate = ERROR_RATE if name == "model" else None
            figures[name] = {
                **ten_days(days, error_rate),
                "one_chair_300": one_chair_300(error_rate),
                "five_chairs": five_chairs(error_rate),
                **many.figures(with_model=name == "model"),
            }
    return figures
