"""memory ask"""

from __future__ import annotations

import argparse
import asyncio
from contextlib import closing
from pathlib import Path

from memory_nodes.answering.answerer import Answerer
from memory_nodes.answering.config import AnswererConfig
from memory_nodes.answering.recall import Recall
from memory_nodes.cli.command import Command, Outcome, Table
from memory_nodes.cli.findings import keyframe_data, object_data, object_table
from memory_nodes.cli.options import (
    TIMES,
    add_map,
    add_model,
    add_time_zone,
    endpoint_of,
    read_when,
    whole,
)
from memory_nodes.dates import Dates
from memory_nodes.models.openai_chat import chat_for
from memory_nodes.records import NS_PER_S, Answer
from memory_nodes.retrieval.retriever import RetrievalConfig, Retriever
from memory_nodes.retrieval.snapshot import Snapshot, SnapshotCache
from memory_nodes.store.filters import Filter
from memory_nodes.store.memory_clock import MemoryClock
from memory_nodes.store.past import Past
from memory_nodes.store.reader import Reader
from memory_nodes.store.search import Search
from memory_nodes.store.sightings import Sightings


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("question", help='"where did I leave my mug?"')
    add_model(parser)
    parser.add_argument("--when", help=f"only what was seen in this time: {TIMES}")
    parser.add_argument(
        "--max-keyframes",
        type=whole(least=1),
        default=AnswererConfig().max_keyframes,
        metavar="N",
        help="keyframes to give as evidence (default: %(default)s)",
    )
    add_map(parser)
    add_time_zone(parser)


def _run(memory_dir: Path, arguments: argparse.Namespace) -> Outcome:
    dates, model = Dates(arguments.time_zone), chat_for(endpoint_of(arguments))
    with (
        closing(Reader(memory_dir)) as reader,
        closing(Past(memory_dir)) as past,
        closing(Sightings(memory_dir)) as sightings,
        closing(Search(memory_dir, saves_caches=False)) as search,
    ):
        now_ns = MemoryClock(reader).now_ns()
        snapshots = SnapshotCache(reader)
        retriever = Retriever(RetrievalConfig(), model)
        recall = Recall(sightings)
        answerer = Answerer(
            *(model, snapshots, AnswererConfig(), dates, retriever, past),
            recall=recall,
            search=search,
        )
        wanted = _wanted(arguments, now_ns, dates)
        answer = asyncio.run(
            answerer.answer(
                arguments.question, now_ns, wanted=wanted, max_keyframes=arguments.max_keyframes
            )
        )
        return _outcome(answer, snapshots.current(), dates, is_troubled=model is not None)


def _wanted(arguments: argparse.Namespace, now_ns: int, dates: Dates) -> Filter:
    if arguments.when is None:
        return Filter(map_id=arguments.map_id)
    span = read_when(arguments.when, now_ns, dates)
    return Filter(since_ns=span.since_ns, until_ns=span.until_ns, map_id=arguments.map_id)


def _outcome(answer: Answer, snapshot: Snapshot, dates: Dates, *, is_troubled: bool) -> Outcome:
    """``is_troubled``: an answer without the model is not what was asked for."""
    newest = [(item, snapshot.keyframes[item.views[-1].keyframe_id]) for item in answer.objects]
    lines: list[str | Table] = [answer.text]
    if newest:
        lines.append(object_table(newest, dates, answer.stamp_ns))
    if answer.keyframes:
        lines.append(_keyframe_table(answer, dates))
    if is_troubled:
        lines += [f"problem: {problem}" for problem in answer.problems]
    return Outcome(
        lines=tuple(lines),
        data={
            "question": answer.question,
            "text": answer.text,
            "found": answer.found,
            "confidence": answer.confidence,
            "degraded": answer.degraded,
            "problems": answer.problems,
            "evidence": answer.evidence,
            "objects": [object_data(item, snapshot) for item in answer.objects],
            "keyframes": [keyframe_data(hit) for hit in answer.keyframes],
            "prompt_tokens": answer.prompt_tokens,
            "completion_tokens": answer.completion_tokens,
            "latency_s": answer.latency_ns / NS_PER_S,
        },
        is_ok=answer.found,
    )


def _keyframe_table(answer: Answer, dates: Dates) -> Table:
    return Table(
        ("keyframe", "taken", "from", "shows", "image"),
        tuple(
            (
                f"keyframe_{hit.keyframe.keyframe_id}",
                dates.moment(hit.keyframe.stamp_ns),
                "({:.2f}, {:.2f})".format(*hit.keyframe.map_from_base.position_m[:2]),
                ", ".join(hit.object_ids),
                hit.keyframe.image_path or "kept no longer",
            )
            for hit in answer.keyframes
        ),
    )


COMMAND = Command(
    "ask", "answer a question from the memory, with its evidence", _run, _add_arguments
)
