"""Where does the robot end when it is sent to a thing, and is it ever sent by another map's memory?

A good goal is free, within 2 m of the thing, and has a free line of sight to it. Goals: a share of
0.95 on the tour's questions and in synthetic rooms together; no goal of another map.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from benchmark.goals.closure import closure_figures
from benchmark.goals.maps import CASES, other_map_goals
from benchmark.goals.rooms import ROOMS, good_goals_in_rooms
from benchmark.goals.tour import good_goals_on_tour


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--questions",
        type=Path,
        metavar="FILE",
        help="ask these on the tour, in the form of test/data/tour/truth/questions.json",
    )


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Shares of good goals, the questions that had none, and the count of goals of other maps.

    Raises InputError for questions in another form.
    """
    tour = good_goals_on_tour(arguments.questions)
    rooms = good_goals_in_rooms(ROOMS)
    judged = [*tour.values(), *rooms]
    return {
        "good_goal_share": _share(judged),
        "good_goal_share_tour": _share(list(tour.values())),
        "good_goal_share_synthetic": _share(rooms),
        "tour_questions": len(tour),
        "tour_failures": {key: fault for key, fault in tour.items() if fault},
        "synthetic_rooms": len(rooms),
        "synthetic_failures": {fault: rooms.count(fault) for fault in sorted(set(rooms) - {""})},
        "other_map_cases": CASES,
        "other_map_goals_sent": other_map_goals(CASES),
        **closure_figures(),
    }


def _share(faults: list[str]) -> float:
    return round(faults.count("") / len(faults), 3) if faults else 0.0
