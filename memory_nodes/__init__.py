"""The memory of a mobile robot: what it saw, where and when, and how to get back there."""

__version__ = "0.1.0"
