"""Language, vision and embedding models: the ports the stages speak to, and their adapters."""
