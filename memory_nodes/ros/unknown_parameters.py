"""Parameters that were given and that nobody knows: most of them are misspelled."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from difflib import get_close_matches
from functools import cache
from importlib.resources import files

from memory_nodes.ros.given_parameters import Given, given_parameters

NAMES_FILE = "parameter_names.txt"
"""Names what the nodes of the suite declare; made and tested together with docs/parameters.md."""
ANY_NAME = "NAME"
"""Stands in it where a user chooses a name."""
OF_ROS = ("use_sim_time", "start_type_description_service", "qos_overrides")
ALIKE = 0.8


def unknown_parameters(arguments: Sequence[str], node: str, own: Collection[str]) -> Iterator[str]:
    """A line for each parameter that a command line gives to a node and nobody declares.

    Files and launch arguments are for several nodes: a parameter of another node of the suite is
    known. A section for all nodes may be for others than ours, too: there only what is spelled
    almost as one of the suite's parameters is meant to be one.

    Args:
        node: full name.
        own: what it declares.
    """
    for given in dict.fromkeys(given_parameters(arguments)):
        if given.is_for(node) and not _is_known(given.name, own):
            nearest = _nearest(given, own)
            if nearest or not given.is_for_many:
                hint = f"; is {nearest} meant?" if nearest else ""
                yield f"{given.source}: there is no parameter {given.name} ({given.pattern}){hint}"


def _is_known(name: str, own: Collection[str]) -> bool:
    if name in own or name.partition(".")[0] in OF_ROS:
        return True
    pattern = next((item for item in _patterns() if item.fullmatch(name)), None)
    # What has a name that a user chooses is declared where it is used.
    return pattern is not None and not any(pattern.fullmatch(item) for item in own)


def _nearest(given: Given, own: Collection[str]) -> str:
    for names in (own, names_of_suite()):
        for name in get_close_matches(given.name, sorted(names), n=1, cutoff=ALIKE):
            return name
    return ""


@cache
def names_of_suite() -> tuple[str, ...]:
    """From a file: to import what other nodes need takes seconds and tens of megabytes."""
    return tuple((files(__package__) / NAMES_FILE).read_text("utf-8").split())


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    names = (re.escape(name).replace(ANY_NAME, r"[^.]+") for name in names_of_suite())
    return tuple(re.compile(name) for name in names)
