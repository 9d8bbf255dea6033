"""Stamps that cannot be of the clock that the node runs on."""

from __future__ import annotations

from memory_nodes.records import NS_PER_S

MAX_AHEAD_S = 3600.0
"""Simulated time starts near 0: a stamp this far ahead of it is of another clock."""


def clock_problem(stamp_ns: int, now_ns: int, is_simulated: bool) -> str | None:
    """Which clock differs, and what to do about it; None for a stamp that may be right.

    Under wall time an old stamp is fine: a recording that is played without its clock. Before the
    first /clock, when the node's time is 0, nothing can be said.
    """
    if not is_simulated and stamp_ns == 0:
        return (
            "images have stamp 0 while the node runs on wall time: "
            "let the camera driver stamp them, or set use_sim_time"
        )
    ahead_s = (stamp_ns - now_ns) / NS_PER_S
    if is_simulated and now_ns > 0 and ahead_s > MAX_AHEAD_S:
        return (
            f"images are stamped {stamp_ns / NS_PER_S:.0f} s, /clock says "
            f"{now_ns / NS_PER_S:.0f} s: the camera runs on wall time and the node on simulated "
            "time; make use_sim_time agree"
        )
    return None
