"""The memory on disk: SQLite is the truth; one process writes it, any number read it."""
