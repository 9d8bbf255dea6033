"""Covariances of positions as the database has them: row-major 3x3 in JSON."""

from __future__ import annotations

import json
import math


def turned(covariance_json: str | None, yaw_rad: float) -> str | None:
    """After a turn about z."""
    if covariance_json is None:
        return None
    xx, xy, xz, _, yy, yz, _, _, zz = json.loads(covariance_json)
    c, s = math.cos(yaw_rad), math.sin(yaw_rad)
    turned_xx = c * c * xx - 2.0 * c * s * xy + s * s * yy
    turned_yy = s * s * xx + 2.0 * c * s * xy + c * c * yy
    turned_xy = c * s * (xx - yy) + (c * c - s * s) * xy
    turned_xz, turned_yz = c * xz - s * yz, s * xz + c * yz
    return json.dumps(
        [
            *(turned_xx, turned_xy, turned_xz),
            *(turned_xy, turned_yy, turned_yz),
            *(turned_xz, turned_yz, zz),
        ]
    )


def widened(covariance_json: str, by_m2: float) -> str:
    """Larger along the floor, or smaller, but never below 0."""
    covariance_m2 = json.loads(covariance_json)
    for variance in (0, 4):
        covariance_m2[variance] = max(0.0, covariance_m2[variance] + by_m2)
    return json.dumps(covariance_m2)
