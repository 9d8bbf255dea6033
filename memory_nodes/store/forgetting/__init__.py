"""Deleting for good, from rows to pixels."""
