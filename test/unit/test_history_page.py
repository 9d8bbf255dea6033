"""The example of docs/history.md runs."""

from __future__ import annotations

import re
from pathlib import Path

from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer
from memory_test_support.told import at, ns, tell, teller_of

PAGE = Path(__file__).resolve().parents[2] / "docs" / "history.md"
MORNING_S = 1_788_760_800
"""Mon 7 Sep 2026, 8:00 in Berlin."""


def test_the_example_reads_a_history(tmp_path: Path) -> None:
    writer, past = Writer(tmp_path), Past(tmp_path)
    writer.start_episode("water the plant", "", ns(MORNING_S))
    writer.add(at(MORNING_S, "action", "walk"))
    tell(teller_of(writer, past), ns(MORNING_S + 600))
    goal_id = past.last_events(1)[0].parent_id
    names = {
        **{"memory_dir": tmp_path, "goal_id": goal_id},
        **{"since_ns": 0, "until_ns": ns(MORNING_S + 600)},
    }
    (block,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(block, str(PAGE), "exec"), names)
    past.close()
    writer.close()
