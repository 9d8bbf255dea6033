"""When a localisation is certain enough to be driven to."""

from __future__ import annotations

import math

import pytest

from memory_nodes.perception.localization import LocalizationConfig, is_localized

CONFIG = LocalizationConfig(True, max_position_sigma_m=0.5, max_yaw_sigma_rad=0.3)


def covariance(x_m2: float, y_m2: float, yaw_rad2: float) -> list[float]:
    values = [0.0] * 36
    values[0], values[7], values[35] = x_m2, y_m2, yaw_rad2
    return values


def test_pose_within_all_limits_is_localized() -> None:
    assert is_localized(covariance(0.25, 0.25, 0.09), CONFIG)


@pytest.mark.parametrize(
    "doubtful",
    [
        (0.26, 0.0, 0.0),
        (0.0, 0.26, 0.0),
        (0.0, 0.0, 0.1),
        (math.nan, 0.0, 0.0),
        (0.0, -1.0, 0.0),
        (0.0, 0.0, math.inf),
    ],
)
def test_pose_beyond_a_limit_is_not(doubtful: tuple[float, float, float]) -> None:
    assert not is_localized(covariance(*doubtful), CONFIG)
