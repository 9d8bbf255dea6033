"""How well nodes of a history fit the times that a question asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Span = tuple[int, int]


def retrieval_f1(
    root: Span,
    visible: Mapping[str, Span],
    parents: Mapping[str, str],
    wanted: Sequence[Span],
) -> float:
    """F1 of the nodes that are visible when the question is answered.

    Source: H-EMV, section IV-D.

    Args:
        visible: the time span of each visible node.
        parents: the node above each, where that is visible too.
        wanted: the reference spans, each of some length and shorter than the root's.
    """
    shown_below = {parents[node] for node in visible if node in parents}
    leaves = [span for node, span in visible.items() if node not in shown_below]
    recall = _mean([max(_normalized(root, g, v) for v in visible.values()) for g in wanted])
    precision = _mean([max(_normalized(root, g, leaf) for g in wanted) for leaf in leaves])
    both = precision + recall
    return 2.0 * precision * recall / both if both > 0.0 else 0.0


def _normalized(root: Span, wanted: Span, node: Span) -> float:
    """The share of a node that is wanted, above what the whole history has of it."""
    base = _length(wanted) / _length(root)
    share = _common(wanted, node) / _length(node) if _length(node) else _holds(wanted, node)
    return max(0.0, share - base) / (1.0 - base)


def _holds(span: Span, moment: Span) -> float:
    """A node without any length is within a span or not."""
    return float(span[0] <= moment[0] <= span[1])


def _common(one: Span, other: Span) -> int:
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


def _length(span: Span) -> int:
    return span[1] - span[0]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
