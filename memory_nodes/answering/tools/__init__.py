"""The recall tools: one table of what a model may ask of a memory. Source: eMEM, recall tools."""
