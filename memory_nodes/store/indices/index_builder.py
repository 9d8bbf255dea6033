"""Takes the tail of a vector index into its graph, beside everything else."""

from __future__ import annotations

import threading
from collections.abc import Callable

from memory_nodes.errors import StoreError
from memory_nodes.store.indices.vector_index import BUILD_STEP, VectorIndex


class IndexBuilder:
    """A thread that works in small steps while there is a tail, and else waits for ``wake``.

    ``on_built`` is called in that thread whenever the tail has become empty, also when it was so
    at the start: to save the graph, for example. What it raises ends the thread.
    """

    def __init__(self, index: VectorIndex, on_built: Callable[[], None] | None = None) -> None:
        self._index = index
        self._on_built = on_built
        self._changed = threading.Condition()
        self._is_woken = True
        self._is_stopping = False
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="index_builder", daemon=True)

    @property
    def progress(self) -> tuple[int, int]:
        """Vectors in the graph, and all of them."""
        total, left = len(self._index), self._index.tail_size
        return max(total - left, 0), total

    @property
    def failure(self) -> BaseException | None:
        """What ended the thread, if it was not ``stop``; searches go on, the tail only grows."""
        return self._failure

    def start(self) -> None:
        """Starts the thread; once only."""
        self._thread.start()

    def wake(self) -> None:
        """Tells that something was added or removed."""
        with self._changed:
            self._is_woken = True
            self._changed.notify_all()

    def dismiss(self) -> None:
        """Lets the thread end within one step; for who holds what ``on_built`` waits for."""
        with self._changed:
            self._is_stopping = True
            self._changed.notify_all()

    def stop(self) -> None:
        """Ends the thread within one step, and waits for it; may be called again.

        Without waiting it may be called under a lock that ``on_built`` takes. Raises StoreError
        when something else has ended the thread before.
        """
        self.dismiss()
        if self._thread.ident is not None:
            self._thread.join()
        if self._failure is not None:
            raise StoreError(
                f"the vector index was not built to its end: {self._failure!r}; what was left is"
                " searched without it"
            ) from self._failure

    def _run(self) -> None:
        try:
            while self._is_needed():
                self._build()
        except BaseException as error:
            self._failure = error
            raise

    def _is_needed(self) -> bool:
        """Waits for work, without any lock; gives False when it is time to stop."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_woken or self._is_stopping)
            self._is_woken = False
            return not self._is_stopping

    def _build(self) -> None:
        """Until the tail is empty. Whoever adds more meanwhile calls wake, and it starts again."""
        self._tidy()
        while self._index.take_in(BUILD_STEP):
            if self._is_stopping:
                return
            self._tidy()
        if self._on_built is not None and not self._is_stopping:
            self._on_built()

    def _tidy(self) -> None:
        self._index.compact()
        self._index.make_room()
