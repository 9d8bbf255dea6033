"""How long a memory keeps what it need not keep for ever."""

from __future__ import annotations

from dataclasses import dataclass

from memory_nodes.parameters import parameter


@dataclass(frozen=True)
class RetentionConfig:
    """What of the past is kept whole, and what only in summary."""

    archive_after_s: float = parameter(
        7.0 * 86_400.0,
        "after this time an observation loses its text, once a gist tells of it",
        unit="s",
        low=0.0,
    )
    image_retention_s: float = parameter(
        0.0,
        "after this time a keyframe loses its image, unless it is the newest of an object that is "
        "there; 0 keeps all",
        unit="s",
        low=0.0,
    )
