"""Reads a model's reply to the detection prompt: everything is checked, nothing is trusted.

The rules: a box is what the declared format says, never what its key or its numbers suggest; what
the end of a reply cut off is left out, and the reply is then incomplete; one bad object, view or
relation goes and the others stay; a reply in which nothing can be used is an error with a code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from memory_nodes.errors import ReplyError
from memory_nodes.models.json_values import Value
from memory_nodes.models.ports import Reply
from memory_nodes.models.refusal import declines, regrets
from memory_nodes.perception.boxes import BoxFormat
from memory_nodes.perception.frame_numbers import Frames
from memory_nodes.perception.reply_objects import Drafts, read_objects, text_of, with_ids
from memory_nodes.perception.reply_records import Contents, read_contents
from memory_nodes.perception.reply_relations import Ends, frames_named, read_relations
from memory_nodes.perception.reply_views import view_in_record, views_of
from memory_nodes.records import Chunk, Keyframe, ObjectDescriptor, Relation

MAX_PLACE_CHARS = 60


@dataclass
class Detections:
    """What could be read of one reply."""

    objects: list[ObjectDescriptor] = field(default_factory=list)
    """In reading order; one that the reply lists without a place has no views."""
    relations: list[Relation] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    """What was dropped or doubtful, one line each, which begins with a code and a colon."""
    is_complete: bool = True
    """False where the reply was cut off: what it does not list may be there all the same."""
    dropped: int = 0
    dropped_views: int = 0
    dropped_relations: int = 0
    scene: str = ""
    """What the place looks like, and what kind of place it is; empty where it is not said."""
    place: str = ""


def read_detections(reply: Reply, chunk: Chunk, bbox_format: str | BoxFormat) -> Detections:
    """The objects and relations of a reply, boxes in pixels of the stored images.

    Frames are numbered from 0. Records with a name and a box, and no views, are objects in the
    frame that they name, or in the only one.

    Raises ReplyError when nothing in the reply can be used.
    """
    return read_frames(reply, dict(enumerate(chunk.keyframes)), bbox_format)


def read_frames(
    reply: Reply, by_number: Mapping[int, Keyframe], bbox_format: str | BoxFormat
) -> Detections:
    """As read_detections, with the numbers under which the images were announced."""
    if not reply.text.strip():
        if reply.is_withheld:
            raise ReplyError("the service withheld the reply", "refusal")
        raise ReplyError("the reply has no text", "empty_reply")
    box_format = BoxFormat(bbox_format) if isinstance(bbox_format, str) else bbox_format
    contents = read_contents(reply)
    frames = Frames(by_number).as_used(_frames_used(contents))
    drafts = read_objects(contents.records, frames, box_format)
    if not drafts.kept:
        _check_that_nothing_is_meant(reply, contents, drafts)
    found = Detections(
        problems=drafts.problems,
        is_complete=reply.is_complete and not contents.is_open,
        dropped=drafts.dropped,
        dropped_views=drafts.dropped_views,
        scene=text_of(contents.scene.get("scene")),
        place=text_of(contents.scene.get("place"))[:MAX_PLACE_CHARS],
    )
    found.objects, ambiguous = with_ids(drafts.kept, found.problems)
    listed = {item.object_id for item in found.objects}
    ends = Ends(listed, drafts.dropped_ids - listed, ambiguous)
    relations = read_relations(contents.relations, ends, frames)
    found.relations, found.dropped_relations = relations.kept, relations.dropped
    found.problems += relations.problems
    if frames.is_counted_from_one:
        found.problems.append("frames_one_based: the reply counts frames from 1")
    if not found.is_complete:
        found.problems.append("truncated: the reply was cut off; what was whole in it is kept")
    return found


def _frames_used(contents: Contents) -> Iterator[Value]:
    """Every frame number in a reply."""
    for record in contents.records:
        views = views_of(record, is_y_first=False)
        if views is None:
            yield view_in_record(record, is_y_first=False)[0].frame
        else:
            yield from (view.frame for view in views)
    for relation in contents.relations:
        yield from frames_named(relation)


def _check_that_nothing_is_meant(reply: Reply, contents: Contents, drafts: Drafts) -> None:
    """Raises ReplyError unless the reply says in so many words that there is no object."""
    is_empty_list = contents.has_empty_list and not contents.records and not contents.is_open
    start = f"{reply.text[:80]!r}"
    if is_empty_list and not declines(contents.text):
        return
    if declines(contents.text) or (regrets(contents.text) and not contents.is_open):
        raise ReplyError(f"the model declined, or saw no picture: {start}", "refusal")
    is_silent = not contents.text.strip() and not contents.has_calls
    if is_silent and not contents.is_open and reply.is_complete:
        raise ReplyError("the reply holds thoughts and no answer", "empty_reply")
    if drafts.dropped or (contents.has_scraps and not contents.is_open):
        details = "; ".join(drafts.problems[:3])
        raise ReplyError(f"no object of the reply can be used: {details or start}", "invalid_boxes")
    if contents.is_open or is_silent:
        raise ReplyError(
            "the reply was cut off before any object was whole: raise max_tokens or send fewer "
            f"images a chunk: {start}",
            "truncated",
        )
    raise ReplyError(
        f"no JSON with objects in a reply of {len(reply.text)} characters: {start}", "no_json"
    )
