"""Questions about the picture of a keyframe, to a vision-language model."""

from __future__ import annotations

from pathlib import Path

from memory_nodes.errors import InputError, ReplyError
from memory_nodes.models.ports import ChatModel, Picture, Prompt, Reply
from memory_nodes.models.prompt_files import prompt_text
from memory_nodes.models.prompt_json import prompt_json
from memory_nodes.models.reply_json import parse_json
from memory_nodes.models.reply_schema import closed_object
from memory_nodes.store.image_files import image_file
from memory_nodes.store.past import Past

PROMPT_VERSION = "look_v1"
TASK = "agent_look"
MAX_SEEN_CHARS = 500
MAX_JPEG_BYTES = 20_000_000


class KeyframePictures:
    """The pictures of a memory, by the ids of their keyframes."""

    def __init__(self, past: Past, memory_dir: Path) -> None:
        self._past = past
        self._memory_dir = memory_dir

    def jpeg(self, keyframe_id: int) -> bytes:
        """Raises InputError where there is none, or none that may be shown."""
        path = self._past.shareable_image_path(keyframe_id)
        if not path:
            raise InputError(f"keyframe_{keyframe_id} has no picture: ask about another one")
        try:
            file = image_file(self._memory_dir, path)
            if file.stat().st_size > MAX_JPEG_BYTES:
                raise InputError(f"the picture of keyframe_{keyframe_id} is too large to be shown")
            return file.read_bytes()
        except OSError as error:
            raise InputError(f"the picture of keyframe_{keyframe_id} is gone") from error

    async def ask(self, model: ChatModel, jpeg: bytes, question: str, deadline_s: float) -> str:
        """What the model says of a picture. Raises ModelError.

        Source: H-EMV, section III-B (visual questions on the images of leaves).
        """
        prompt = Prompt(
            task=TASK,
            system=prompt_text(__package__, PROMPT_VERSION),
            text=prompt_json({"task": TASK, "question": question}),
            reply_schema=closed_object(seen={"type": "string"}),
            pictures=(Picture("The picture:", jpeg),),
            max_tokens=256,
        )
        return _seen(await model.complete(prompt, deadline_s))


def _seen(reply: Reply) -> str:
    """Some models answer in plain words, whatever the form."""
    try:
        value = parse_json(reply.text)
    except ReplyError:
        value = None
    seen = value.get("seen") if isinstance(value, dict) else None
    return " ".join((seen if isinstance(seen, str) else reply.text).split())[:MAX_SEEN_CHARS]
