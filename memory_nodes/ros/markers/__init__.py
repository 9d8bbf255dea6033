"""The memory as RViz markers."""
