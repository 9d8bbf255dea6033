"""Requests to correct the memory, as edits."""

from __future__ import annotations

from robot_memory.srv import EditObject

from memory_nodes.errors import InputError
from memory_nodes.records import ObjectStatus
from memory_nodes.store.editing.edits import Edit, Mark, Merge, Pin, Rename, Split, Undo


def edit_from(request: EditObject.Request) -> Edit:
    """Raises InputError where the operation is unknown, or what it needs is not given."""
    kind = EditObject.Request
    if request.operation == kind.UNDO:
        return Undo(request.event_id)
    ids = list(request.object_ids)
    if not ids or (len(ids) > 1 and request.operation != kind.MERGE):
        raise InputError(
            f"{len(ids)} object_ids are given: give one, and for MERGE the one that stays first"
        )
    if request.operation == kind.RENAME:
        return Rename(ids[0], request.text)
    if request.operation == kind.MERGE:
        return Merge(ids[0], tuple(ids[1:]))
    if request.operation == kind.SPLIT:
        return Split(ids[0], tuple(map(int, request.keyframe_ids)))
    if request.operation in (kind.PIN, kind.UNPIN):
        return Pin(ids[0], is_pinned=request.operation == kind.PIN)
    if request.operation == kind.MARK_MISSING:
        return Mark(ids[0], ObjectStatus.MISSING)
    if request.operation == kind.MARK_PRESENT:
        return Mark(ids[0], ObjectStatus.PRESENT)
    raise InputError(f"operation {request.operation} is unknown: give 0 (RENAME) to 7 (UNDO)")
