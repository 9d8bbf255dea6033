"""Repair by a person: names, identities, and what is to be kept; each edit can be undone."""
