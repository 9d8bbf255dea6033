"""Arguments that several commands take, and what they mean."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from memory_nodes.dates import Dates
from memory_nodes.errors import InputError
from memory_nodes.models.openai_endpoint import EndpointConfig
from memory_nodes.parameters import check
from memory_nodes.suite import SuiteConfig
from memory_nodes.times import TimeSpan, read_time

TIMES = '"yesterday afternoon", "last two hours", "since Monday" or "2026-12-01 14:00"'


def whole(least: int, most: int | None = None) -> Callable[[str], int]:
    """The type of an argument that is a whole number within bounds."""

    def number(text: str) -> int:
        value = int(text)
        if value < least:
            raise argparse.ArgumentTypeError(f"{value} is too small, the least is {least}")
        if most is not None and value > most:
            raise argparse.ArgumentTypeError(f"{value} is too large, the most is {most}")
        return value

    return number


def add_time_zone(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--time-zone",
        default=SuiteConfig().time_zone,
        metavar="ZONE",
        help="of times, Europe/Berlin for instance (default: that of the machine)",
    )


def add_map(parser: argparse.ArgumentParser, default: str = "") -> None:
    parser.add_argument("--map-id", default=default, metavar="MAP", help="only what is on this map")


def add_model(parser: argparse.ArgumentParser, *, is_required: bool = False) -> None:
    parser.add_argument(
        "--base-url",
        default="",
        required=is_required,
        metavar="URL",
        help="OpenAI-compatible endpoint, http://127.0.0.1:8000/v1 for instance",
    )
    parser.add_argument(
        "--model",
        default=EndpointConfig().model,
        help="name of the model at that endpoint (default: %(default)s)",
    )


def endpoint_of(arguments: argparse.Namespace) -> EndpointConfig:
    """Of the arguments of add_model."""
    config = EndpointConfig(base_url=arguments.base_url, model=arguments.model)
    check(config)
    return config


def read_when(text: str, now_ns: int, dates: Dates) -> TimeSpan:
    """A time as people say it. Raises InputError for a text that is no time."""
    span = read_time(text, now_ns, dates)
    if span is None:
        raise InputError(f"{text[:80]!r} is no time that is understood: say {TIMES}")
    return span
