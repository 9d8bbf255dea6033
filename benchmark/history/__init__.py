"""What a history costs to tell and to search, from 5 to 100 episodes, and how well it is found.

Synthetic households over up to two months, without a language model and with a stand-in for one.
The goals: prompt_tokens at 100 episodes at most 1.5 times those at 5, calls and tokens an episode
flat. H-EMV reads 8.5k tokens at 5 episodes and 10.4k at 100 (table I, 1-shot), with instructions
and an example, which are not counted here.
"""

from __future__ import annotations

import argparse
from typing import Any

from benchmark.history.lengths import figures_by_length
from benchmark.history.week import week_figures
from benchmark.language_server import add_argument, language_server

LENGTHS = (5, 15, 25, 50, 100)
HISTORIES = 5
QUESTIONS = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--histories", type=int, default=HISTORIES, metavar="N", help="of each length"
    )
    add_argument(parser)


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Figures by who tells the history; what a key means is told where it is made.

    With a language model in a file only those of a week that it tells. Raises as language_server
    does.
    """
    if arguments.gguf is not None:
        with language_server(arguments.gguf) as base_url:
            return {"week": week_figures(base_url)}
    return {
        name: figures_by_length(LENGTHS, arguments.histories, QUESTIONS, with_model=with_model)
        for name, with_model in (("without_model", False), ("stand_in_model", True))
    }
