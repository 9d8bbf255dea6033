"""The goal questions of the tour, from the memory that the suite makes of it."""

from __future__ import annotations

from pathlib import Path

from benchmark.goals.judging import fault_of, goals_sent
from benchmark.goals.measured_floor import MeasuredFloor
from benchmark.retrieval.memory import built_tour
from memory_nodes.navigation.candidates import Sight, target_of
from memory_nodes.navigation.commands import target_of as asked_for
from memory_nodes.navigation.safety import Rules
from memory_nodes.retrieval.ranking import rank
from memory_nodes.retrieval.snapshot import Snapshot
from memory_test_support.tour import load_tour, load_truth

MAX_KEYFRAMES = 5
GOAL = "goal"


def good_goals_on_tour(questions_file: Path | None) -> dict[str, str]:
    """What is wrong with the goal of each question; empty where nothing is."""
    memory, floor = built_tour(questions_file, "model"), MeasuredFloor(load_tour())
    instances = load_truth().instances
    newest = list(memory.snapshot.keyframes.values())[-1]
    rules = Rules(newest.map_id)
    faults = {}
    for question in memory.questions:
        if question.kind != GOAL or not question.answerable:
            continue
        words = asked_for(question.text)
        sights = _sights(words if words is not None else question.text, memory.snapshot)
        goals = goals_sent(sights, floor, rules, newest.stamp_ns)
        thing_m = instances[question.target_ids[0]].position_m
        faults[question.question_id] = fault_of(goals, thing_m, floor)
    return faults


def _sights(words: str, snapshot: Snapshot) -> list[Sight]:
    """As the query node and the goal node find them, without a model that answers."""
    sights = []
    for hit in rank(words, snapshot, MAX_KEYFRAMES).keyframes:
        shown = snapshot.objects_by_id[hit.object_ids[0]]
        target = target_of(shown, snapshot.keyframes, hit.keyframe.map_id)
        sights.append(Sight(hit.keyframe, target))
    return sights
