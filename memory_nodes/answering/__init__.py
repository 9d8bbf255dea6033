"""From what was retrieved to an answer with its evidence."""
