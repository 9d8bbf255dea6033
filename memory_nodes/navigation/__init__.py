"""From an answer to a goal, and what became of it."""
