"""The ten recall tools. Source: eMEM, recall tools."""

from __future__ import annotations

from memory_nodes.answering.tools.around import SPATIAL_QUERY
from memory_nodes.answering.tools.happening import TEMPORAL_QUERY
from memory_nodes.answering.tools.searching import RECALL, SEARCH_GISTS, SEMANTIC_SEARCH
from memory_nodes.answering.tools.tool import Tool

TOOLS: tuple[Tool, ...] = (
    SEMANTIC_SEARCH,
    SPATIAL_QUERY,
    TEMPORAL_QUERY,
    SEARCH_GISTS,
    RECALL,
)
