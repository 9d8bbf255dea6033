"""What may be wrong with a memory, and how it is mended."""
