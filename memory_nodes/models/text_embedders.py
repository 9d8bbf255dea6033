"""Which model makes vectors of texts."""

from __future__ import annotations

from dataclasses import dataclass, replace

from memory_nodes.models.local_embeddings import MiniLMEmbedder
from memory_nodes.models.openai_embeddings import OpenAIEmbedder
from memory_nodes.models.openai_endpoint import EndpointConfig, client_for
from memory_nodes.models.ports import TextEmbedder
from memory_nodes.parameters import parameter


@dataclass(frozen=True)
class TextEmbedderConfig:
    """Vectors of texts: with them a search finds what is meant, without them what is said."""

    text_embedder: str = parameter(
        "none",
        "openai: /embeddings of a server; minilm: on this machine, needs ./dev setup --models",
        choices=("none", "openai", "minilm"),
    )
    embedding_base_url: str = parameter("", "OpenAI-compatible endpoint of it; empty = base_url")
    embedding_model: str = parameter(
        "sentence-transformers/all-MiniLM-L6-v2", "model name at that endpoint"
    )
    embedding_timeout_s: float = parameter(
        20.0, "time for one call, retries included", unit="s", low=0.1, high=3600.0
    )


def embedder_for(config: TextEmbedderConfig, endpoint: EndpointConfig) -> TextEmbedder | None:
    """The model that is configured; None where none is."""
    if config.text_embedder == "minilm":
        return MiniLMEmbedder()
    if config.text_embedder == "openai":
        base_url = config.embedding_base_url or endpoint.base_url
        client = client_for(replace(endpoint, base_url=base_url))
        return OpenAIEmbedder(client, config.embedding_model)
    return None
