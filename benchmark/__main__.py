"""`python -m benchmark NAME [--json FILE]`: runs one benchmark and prints its figures."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from benchmark import pipeline, tour

BENCHMARKS = {"pipeline": pipeline.run, "tour": tour.run}


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__)
    parser.add_argument("name", choices=sorted(BENCHMARKS))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    arguments = parser.parse_args()
    figures = BENCHMARKS[arguments.name]()
    text = json.dumps(figures, indent=2)
    print(text)
    if arguments.json is not None:
        arguments.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
