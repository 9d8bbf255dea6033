"""A synthetic house whose truth is known: what stands where on each day, and what a robot sees."""

from memory_test_support.house.camera import Sight, visible
from memory_test_support.house.days import HouseDay, patrol
from memory_test_support.house.detector import DetectedChunk
from memory_test_support.house.model import AssociatingModel
from memory_test_support.house.options import HouseOptions
from memory_test_support.house.plan import House, Thing, Waypoint
from memory_test_support.house.scenes import dining_table, family_house, one_chair, store_rooms

__all__ = [
    "AssociatingModel",
    "DetectedChunk",
    "House",
    "HouseDay",
    "HouseOptions",
    "Sight",
    "Thing",
    "Waypoint",
    "dining_table",
    "family_house",
    "one_chair",
    "patrol",
    "store_rooms",
    "visible",
]
