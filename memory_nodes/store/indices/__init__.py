"""Indices over the truth, in the memory of a reader: made from it, and made again when damaged."""
