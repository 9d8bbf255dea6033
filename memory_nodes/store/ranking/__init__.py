"""How a search orders what it finds."""
