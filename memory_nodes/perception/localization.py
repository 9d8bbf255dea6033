"""Whether the robot knows where it is, by the covariance of its localisation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from memory_nodes.parameters import parameter

_X, _Y, _YAW = 0, 7, 35
"""Of a row-major 6x6 covariance of x, y, z, roll, pitch and yaw."""


@dataclass(frozen=True)
class LocalizationConfig:
    """The gate that keeps doubtful poses from being driven to."""

    use_localization_gate: bool = parameter(
        False, "listen to `pose`, the localisation of slam_toolbox or AMCL with its covariance"
    )
    max_position_sigma_m: float = parameter(
        0.5,
        "a keyframe with a less certain place is remembered, but never a goal",
        unit="m",
        low=0.0,
    )
    max_yaw_sigma_rad: float = parameter(0.35, "the same for its heading", unit="rad", low=0.0)


def is_localized(covariance: Sequence[float], config: LocalizationConfig) -> bool:
    """Whether a pose is certain enough to be driven to.

    Args:
        covariance: row-major 6x6 of x, y, z, roll, pitch, yaw; m^2, rad^2. Negative or non-finite
            variances, which some localisers send before they know, are no certainty.
    """
    x_m2, y_m2, yaw_rad2 = (float(covariance[index]) for index in (_X, _Y, _YAW))
    variances = (x_m2, y_m2, yaw_rad2)
    if not all(math.isfinite(variance) and variance >= 0.0 for variance in variances):
        return False
    return (
        max(x_m2, y_m2) <= config.max_position_sigma_m**2
        and yaw_rad2 <= config.max_yaw_sigma_rad**2
    )
