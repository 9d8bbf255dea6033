"""The model of a node."""

from __future__ import annotations

from collections.abc import Callable

from memory_nodes.models.current_chat import current_chat
from memory_nodes.models.metered import MeteredChat
from memory_nodes.models.openai_endpoint import EndpointConfig
from memory_nodes.ros.health import Health


def metered_chat(health: Health, endpoint: Callable[[], EndpointConfig]) -> MeteredChat | None:
    """The model that is named at each call; its calls stand in the diagnostics. None without."""
    model = current_chat(endpoint)
    if model is None:
        return None
    metered = MeteredChat(model, endpoint())
    health.gauges["model"] = metered.figures
    return metered
