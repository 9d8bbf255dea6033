"""The memory as a graph: objects and relations, their search, text and file forms."""
