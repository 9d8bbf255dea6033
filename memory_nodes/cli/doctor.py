"""memory doctor"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from memory_nodes.cli.command import Command, Outcome
from memory_nodes.store.doctor.doctor import examine, repair


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--repair", action="store_true", help="mend what can be mended; nothing may write meanwhile"
    )
    parser.add_argument(
        "--vacuum", action="store_true", help="with --repair: also shrink the database file"
    )
    parser.add_argument(
        "--quick", action="store_true", help="do not compare SQLite's own indices with the rows"
    )


def _run(memory_dir: Path, arguments: argparse.Namespace) -> Outcome:
    findings = examine(memory_dir, quick=arguments.quick)
    repaired: tuple[str, ...] = ()
    if arguments.repair:
        repaired = repair(memory_dir, findings, vacuum=arguments.vacuum)
        findings = examine(memory_dir, quick=arguments.quick)
    faults = sum(finding.severity != "ok" for finding in findings)
    return Outcome(
        lines=(
            *(f"repaired: {code}" for code in repaired),
            *(f"{item.severity:5} {item.code}: {item.message}" for item in findings),
            f"{faults} faults in {memory_dir}",
        ),
        data={
            "findings": [asdict(finding) for finding in findings],
            "repaired": list(repaired),
        },
        is_ok=faults == 0,
    )


COMMAND = Command("doctor", "find what is wrong with a memory, and mend it", _run, _add_arguments)
