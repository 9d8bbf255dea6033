"""What docs/goals.md says of causes, outcomes and sentences is so."""

from __future__ import annotations

import re
from pathlib import Path

from memory_nodes.navigation.outcomes import Cause, Outcome

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "goals.md").read_text(encoding="utf-8")
_ROW = re.compile(r"^\| [^|]+ \| ([A-Z_]+) \| ([^|]+) \|$", re.MULTILINE)


def test_each_cause_has_one_row_with_its_outcome_and_its_sentence() -> None:
    told = sorted(_ROW.findall(PAGE))
    said = {cause: cause.sentence.format(detail="…", thing="the mug") for cause in Cause}
    assert told == sorted((cause.outcome.name, said[cause]) for cause in Cause)


def test_every_outcome_has_a_cause() -> None:
    assert {cause.outcome for cause in Cause} == set(Outcome)


def test_parameters_of_the_page_are_declared() -> None:
    declared = (DOCS / "parameters.md").read_text(encoding="utf-8")
    others = {"goal_node", "navigate_to_memory", "verify_on_arrival"}
    for name in set(re.findall(r"`([a-z]+_[a-z_]+)`", PAGE)) - others:
        assert f"| `{name}` |" in declared, name
