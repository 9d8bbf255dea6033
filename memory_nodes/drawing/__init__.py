"""Pictures of what the memory holds, for people."""
