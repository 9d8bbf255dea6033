"""What the model's code may call: it reads the history, and ends with an answer."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from memory_nodes.answering.agents.pictures import KeyframePictures
from memory_nodes.answering.agents.recording import Listener
from memory_nodes.answering.agents.run import Finding, Run
from memory_nodes.answering.agents.sandbox import END, Function
from memory_nodes.answering.agents.tree_view import TreeView
from memory_nodes.answering.prompt import is_no
from memory_nodes.dates import Dates
from memory_nodes.episodic.history.tree import Branch, HistoryTree
from memory_nodes.errors import InputError
from memory_nodes.models.ports import Reply
from memory_nodes.times import read_time
from memory_nodes.words import shortened

MAX_TEXT_CHARS = 500
"""Of what the code hands over, and of a node's text in it."""
MAX_IDS = 50
MAX_KEYFRAME_ID = 10**18 - 1
_KEYFRAME = re.compile(r"(?:keyframe_)?(\d{1,18})")


class Commands:
    """The functions of one run. All raise InputError with a hint for what they cannot be asked."""

    def __init__(
        self,
        run: Run[Listener],
        view: TreeView,
        tree: HistoryTree,
        dates: Dates,
        pictures: KeyframePictures,
        max_pictures: int,
    ) -> None:
        self._run = run
        self._view = view
        self._tree = tree
        self._dates = dates
        self._pictures = pictures
        self._pictures_left = max_pictures
        self.notes: list[str] = []
        """What the calls since the last look have done, to be shown below the code's output."""
        self.answered: Reply | None = None

    def functions(self) -> Mapping[str, Function]:
        """All that the code can reach. None of them acts."""
        return {
            "expand": self.expand,
            "collapse": self.collapse,
            "search": self.search,
            "ask_vlm": self.ask_vlm,
            "answer": self.answer,
        }

    async def expand(self, node: object, first: object = 0) -> list[dict[str, str]]:
        """Shows what is right below a node."""
        number = first if isinstance(first, int) else 0
        shown = await asyncio.to_thread(self._view.expand, _text("node", node), number)
        self.notes.append(f"expand: {len(shown)} nodes")
        return self._seen(shown)

    async def collapse(self, node: object) -> None:
        """Hides what is below a node."""
        self._view.collapse(_text("node", node))

    async def search(self, node: object, text: object = "", when: object = "") -> object:
        """Tasks below a node by words, by time or by both; they come into sight."""
        node_id, query, said = _text("node", node), _text("text", text), _text("when", when)
        found = await asyncio.to_thread(self._found, node_id, query, said)
        await asyncio.to_thread(self._view.show, found)
        rest = "" if found else ": try other words, or expand"
        self.notes.append(f"search: {len(found)} nodes{rest}")
        if found:
            line = shortened(self._tree.line(found[0]).partition(" ")[2], MAX_TEXT_CHARS)
            self._run.best = Finding(f"What fits best of what happened: {line}")
        return self._seen(found)

    async def ask_vlm(self, keyframe: object, question: object) -> str:
        """What a vision-language model sees in the picture of a keyframe."""
        keyframe_id = _keyframe_id(keyframe)
        asked = _text("question", question)
        if self._pictures_left <= 0:
            raise InputError("no more pictures may be looked at: answer from what is known")
        jpeg = await asyncio.to_thread(self._pictures.jpeg, keyframe_id)
        self._pictures_left -= 1
        self._run.evidence.add((), (keyframe_id,))
        return await self._pictures.ask(self._run.model, jpeg, asked, self._run.left_s())

    async def answer(
        self,
        text: object,
        found: object = True,
        object_ids: object = (),
        keyframe_ids: object = (),
        confidence: object = 0.5,
    ) -> object:
        """Ends the search."""
        said = {
            "answer": _text("text", text),
            "found": not is_no(found),
            "object_ids": [_text("an object id", each) for each in _listed(object_ids)],
            "keyframe_ids": [_keyframe_id(each) for each in _listed(keyframe_ids)],
            "confidence": _share(confidence),
        }
        if not said["answer"]:
            raise InputError("text is empty: give the answer in one or two sentences")
        self.answered = Reply(json.dumps(said), True)
        return END

    def _found(self, node_id: str, query: str, said: str) -> list[Branch]:
        if not said:
            return self._tree.search(node_id, query)
        span = read_time(said, self._run.now_ns, self._dates)
        if span is None:
            raise InputError(
                f'{said[:80]!r} is no time: say it as "yesterday afternoon", "7 Sep 2026" or "-2h"'
            )
        since_ns, until_ns = span.since_ns, span.until_ns
        if not query:
            return self._tree.within(node_id, since_ns, until_ns)
        found = self._tree.search(node_id, query, limit=MAX_IDS)
        return [each for each in found if each.start_ns <= until_ns and each.end_ns >= since_ns]

    def _seen(self, shown: Sequence[Branch]) -> list[dict[str, str]]:
        """The nodes as the code gets them; what they show is evidence from now on."""
        for branch in shown:
            keyframe_ids = () if branch.keyframe_id is None else (branch.keyframe_id,)
            self._run.evidence.add(branch.object_ids, keyframe_ids)
        return [
            {
                "id": branch.node_id,
                "time": self._tree.when(branch),
                "text": shortened(branch.text, MAX_TEXT_CHARS),
            }
            for branch in shown
        ]


def _text(name: str, value: object) -> str:
    """Of a node that the code got, its id."""
    given: Any = value.get("id") if isinstance(value, dict) else value
    if not isinstance(given, str) or len(given) > MAX_TEXT_CHARS:
        raise InputError(f"{name} has to be a string of at most {MAX_TEXT_CHARS} characters")
    return given.strip()


def _keyframe_id(value: object) -> int:
    given: Any = value.get("id") if isinstance(value, dict) else value
    if isinstance(given, int) and 0 <= given <= MAX_KEYFRAME_ID:
        return given
    matched = _KEYFRAME.fullmatch(given.strip()) if isinstance(given, str) else None
    if matched is None:
        raise InputError("that is no keyframe: expand a chunk, and give an id like keyframe_12")
    return int(matched[1])


def _share(value: object) -> float:
    """A half for what is no share; numbers may be too long even to be written."""
    return float(value) if isinstance(value, int | float) and 0 <= value <= 1 else 0.5


def _listed(value: object) -> list[object]:
    """One id alone stands for a list of it."""
    listed = list(value) if isinstance(value, list | tuple) else [value]
    if len(listed) > MAX_IDS:
        raise InputError(f"{len(listed)} ids, the limit is {MAX_IDS}: name those that matter")
    return listed
