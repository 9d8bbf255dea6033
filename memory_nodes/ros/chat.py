"""The model of a node."""

from __future__ import annotations

from memory_nodes.models.metered import MeteredChat
from memory_nodes.models.openai_chat import chat_for
from memory_nodes.models.openai_endpoint import EndpointConfig
from memory_nodes.ros.health import Health


def metered_chat(health: Health, endpoint: EndpointConfig) -> MeteredChat | None:
    """The model at the endpoint, whose calls stand in the diagnostics; None without one."""
    model = chat_for(endpoint)
    if model is None:
        return None
    metered = MeteredChat(model, endpoint)
    health.gauges["model"] = metered.figures
    return metered
