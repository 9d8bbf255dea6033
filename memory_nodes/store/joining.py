"""What two descriptions say of one object, as one."""

from __future__ import annotations

from dataclasses import replace

from memory_nodes.records import ObjectDescriptor, ObjectView


def stronger(one: ObjectView, other: ObjectView) -> ObjectView:
    """Of two views in one keyframe the more confident, the larger among equals."""
    is_weaker = (one.confidence, one.box.area_px2) < (other.confidence, other.box.area_px2)
    return other if is_weaker else one


def joined(one: ObjectDescriptor, other: ObjectDescriptor) -> ObjectDescriptor:
    """Where they differ the first is right; the second adds what that does not say."""
    views = {view.keyframe_id: view for view in one.views}
    for view in other.views:
        known = views.get(view.keyframe_id)
        views[view.keyframe_id] = view if known is None else stronger(known, view)
    return replace(
        one,
        description=one.description or other.description,
        attributes={**other.attributes, **one.attributes},
        affordances=tuple(dict.fromkeys((*one.affordances, *other.affordances))),
        views=tuple(views[keyframe_id] for keyframe_id in sorted(views)),
        first_seen_ns=min(one.first_seen_ns, other.first_seen_ns),
        last_seen_ns=max(one.last_seen_ns, other.last_seen_ns),
        view_count=len(views),
    )
