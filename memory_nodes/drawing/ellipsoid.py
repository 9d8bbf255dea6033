"""How sure a place is, as a body in space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from memory_nodes.geometry import PointEstimate, Pose, Vector3

SIGMAS = 2.0
LEAST_DIAMETER_M = 0.01
"""A body without any extent is refused by RViz."""


@dataclass(frozen=True)
class Ellipsoid:
    """Its axes are those of its own frame."""

    map_from_ellipsoid: Pose
    diameters_m: Vector3


def ellipsoid_of(estimate: PointEstimate, sigmas: float = SIGMAS) -> Ellipsoid | None:
    """So many standard deviations around a point; None where the covariance is none.

    Its axes are the eigenvectors of the covariance, turned into a right-handed frame.
    """
    covariance = np.reshape(estimate.covariance_m2, (3, 3))
    if not (np.isfinite(covariance).all() and np.isfinite(estimate.point_m).all()):
        return None
    variances, axes = np.linalg.eigh((covariance + covariance.T) / 2.0)
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] = -axes[:, 0]  # a mirror image is no rotation
    radii_m = sigmas * np.sqrt(np.maximum(variances, 0.0))
    x_m, y_m, z_m = map(float, np.maximum(2.0 * radii_m, LEAST_DIAMETER_M))
    x, y, z, w = map(float, Rotation.from_matrix(axes).as_quat())
    return Ellipsoid(Pose(estimate.point_m, (x, y, z, w)), (x_m, y_m, z_m))
