"""What docs/goals.md says of causes, outcomes and sentences is so."""

from __future__ import annotations

import re
from pathlib import Path

from memory_nodes.navigation.outcomes import Cause, Outcome

TESTS = Path(__file__).resolve().parents[1]
DOCS = TESTS.parent / "docs"
PAGE = (DOCS / "goals.md").read_text(encoding="utf-8")
_ROW = re.compile(r"^\| [^|]+ \| ([A-Z_]+) \| `([a-z_]+)` \| ([^|]+) \|$", re.MULTILINE)


def test_each_cause_has_one_row_with_its_outcome_and_its_sentence() -> None:
    told = sorted(_ROW.findall(PAGE))
    said = {cause: cause.sentence.format(detail="…", thing="the mug") for cause in Cause}
    assert told == sorted((cause.outcome.name, cause.word, said[cause]) for cause in Cause)


def test_every_outcome_has_a_cause() -> None:
    assert {cause.outcome for cause in Cause} == set(Outcome)


def test_parameters_of_the_page_are_declared() -> None:
    declared = (DOCS / "parameters.md").read_text(encoding="utf-8")
    others = {"goal_node", "navigate_to_memory", "verify_on_arrival"}
    others |= {cause.word for cause in Cause} - {"dry_run"}
    for name in set(re.findall(r"`([a-z]+_[a-z_]+)`", PAGE)) - others:
        assert f"| `{name}` |" in declared, name


def test_every_cause_is_shown_over_dds() -> None:
    tests = (path for kind in ("nodes", "system") for path in (TESTS / kind).glob("test_*.py"))
    shown = "\n".join(path.read_text(encoding="utf-8") for path in tests)
    assert [cause for cause in Cause if not re.search(rf"\bCause\.{cause.name}\b", shown)] == []
