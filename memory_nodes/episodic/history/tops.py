"""What the root of the history tree is made of."""

from memory_nodes.records import HistoryUnit

TOP_UNITS = (HistoryUnit.DAY, HistoryUnit.WEEK, HistoryUnit.MONTH, HistoryUnit.YEAR)
"""The root's children are all nodes of these that are below none: so the root is never behind, and
what a crash or forgetting has left alone is still found."""
