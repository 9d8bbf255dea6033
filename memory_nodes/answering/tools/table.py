"""The ten recall tools. Source: eMEM, recall tools."""

from __future__ import annotations

from memory_nodes.answering.tools.around import GET_CURRENT_CONTEXT, SPATIAL_QUERY
from memory_nodes.answering.tools.body import BODY_STATUS
from memory_nodes.answering.tools.entities import ENTITY_QUERY
from memory_nodes.answering.tools.episodes import EPISODE_SUMMARY
from memory_nodes.answering.tools.locate import LOCATE
from memory_nodes.answering.tools.searching import RECALL, SEARCH_GISTS, SEMANTIC_SEARCH
from memory_nodes.answering.tools.times import TEMPORAL_QUERY
from memory_nodes.answering.tools.tool import Tool

TOOLS: tuple[Tool, ...] = (
    SEMANTIC_SEARCH,
    SPATIAL_QUERY,
    TEMPORAL_QUERY,
    EPISODE_SUMMARY,
    GET_CURRENT_CONTEXT,
    SEARCH_GISTS,
    ENTITY_QUERY,
    LOCATE,
    RECALL,
    BODY_STATUS,
)
