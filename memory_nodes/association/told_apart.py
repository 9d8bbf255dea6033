"""What a person has told apart stays apart."""

from __future__ import annotations

from memory_nodes.store.reader import Reader


def told_apart(reader: Reader) -> set[frozenset[str]]:
    """Pairs of ids that may never be one identity: whoever unites known objects asks for these.

    Raises StoreMissing while there is no memory.
    """
    return {frozenset(pair) for pair in reader.told_apart()}
