"""The demonstration: a recorded walk is remembered, asked about, and driven back to."""
