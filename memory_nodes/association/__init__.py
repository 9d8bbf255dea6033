"""From chunk graphs to one identity per object."""
