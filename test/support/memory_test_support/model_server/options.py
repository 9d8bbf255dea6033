"""Settings of the stand-in model server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

BoxFormat = Literal["xyxy_pixels", "xyxy_norm1000"]
MODEL_NAME = "stand-in:tour-annotation"


@dataclass(frozen=True)
class ServerOptions:
    """How well the stand-in sees, and where it listens; rates are fractions of 1."""

    host: str = "127.0.0.1"
    port: int = 0  # 0: any free port
    seed: int = 0
    miss_rate: float = 0.05
    box_jitter: float = 0.03  # largest shift of an edge, as a fraction of the box's size
    wrong_color_rate: float = 0.05
    association_error_rate: float = 0.0
    latency_s: float = 0.0
    bbox_format: BoxFormat = "xyxy_pixels"
    stamp_offset_s: float = 0.0  # stamps of the views minus stamps of the tour
