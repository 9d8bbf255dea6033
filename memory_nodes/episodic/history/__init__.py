"""The history tree: what happened, told from single events up to years. Source: H-EMV."""
