"""The one process that writes a memory."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

from memory_nodes.errors import InputError
from memory_nodes.parameters import parameter
from memory_nodes.records import (
    ArrivalLook,
    ChunkGraph,
    Counts,
    Episode,
    EpisodeOrigin,
    EpisodeStatus,
    Gist,
    HistoryNode,
    Observation,
)
from memory_nodes.store import (
    archiving,
    arrivals,
    chunks,
    consolidation,
    embeddings,
    episodes,
    gists,
    history_nodes,
    observations,
    rows,
)
from memory_nodes.store.changes import ChangesConfig
from memory_nodes.store.checks import check_graph, check_unicode, without_unsound_vectors
from memory_nodes.store.consolidation import Piece
from memory_nodes.store.database import Database
from memory_nodes.store.editing import editing
from memory_nodes.store.editing.edits import Edit, Edited
from memory_nodes.store.forgetting import forgetting, image_erasure
from memory_nodes.store.forgetting.forgetting import Forgotten
from memory_nodes.store.forgetting.selection import Forget
from memory_nodes.store.group_commit import GroupCommit
from memory_nodes.store.history_nodes import ToldUpTo
from memory_nodes.store.image_retention import drop_images
from memory_nodes.store.map_writer import MapWriter
from memory_nodes.store.observations import Incoming
from memory_nodes.vectors import Vector

MAX_KEY = 2**63 - 1


@dataclass(frozen=True)
class WriterConfig:
    """When observations go to disk."""

    batch_size: int = parameter(5, "observations that are committed together", low=1, high=1000)
    batch_delay_s: float = parameter(
        2.0, "an observation waits so long for others at most", unit="s", low=0.0, high=60.0
    )


class Writer(MapWriter):
    """Opens, and makes where there is none, the memory in a directory. Safe in threads.

    A method returns when what it wrote survives a power cut (WAL, synchronous=FULL).

    Raises:
        StoreLocked: another process writes this memory.
        SchemaTooNew: a newer version wrote it.
        StoreError: it cannot be opened or written, the disk is full for instance.
    """

    def __init__(
        self,
        memory_dir: Path,
        config: WriterConfig | None = None,
        changes: ChangesConfig | None = None,
    ) -> None:
        self._config = config if config is not None else WriterConfig()
        self._changes = changes if changes is not None else ChangesConfig()
        self.database = Database(memory_dir)
        try:
            with self.database.transaction() as connection:
                episodes.close_interrupted(connection)
                for name in observations.LAYERS:
                    observations.layer_key(connection, name)
                self._layers = frozenset(observations.layers(connection))
                self._model = embeddings.active_model(connection)
        except BaseException:
            self.database.close()
            raise
        image_erasure.finish(self.database)  # what a crash has left
        self._mending = threading.Lock()
        self._episode_key: int | None = None
        self._group = GroupCommit(self._commit, self._config.batch_size, self._config.batch_delay_s)

    def close(self) -> None:
        """Commits what waits, then lets go of the memory."""
        self._group.close()
        self.database.close()

    def counts(self) -> Counts:
        """Rows of each kind, the number of commits and the last chunk stored."""
        with self.database.reading() as connection:
            return rows.counts(connection)

    def commit_chunk(self, graph: ChunkGraph, said: Sequence[Observation] = ()) -> bool:
        """Stores a resolved chunk; False when it was stored before, and nothing changes.

        ``said``: the observations that it was put into, each with an id; they belong to the
        episodes that their stamps fall into. Raises InputError where the graph is unresolved or
        inconsistent, one of these cannot be written down, or a chunk is missing before it.
        """
        check_graph(graph)
        for observation in said:
            observations.check(observation, self._layers)
        with self.database.reading() as connection:
            if graph.chunk.chunk_id <= chunks.last_chunk_id(connection):
                return False
        with self.database.transaction() as connection:
            return chunks.store(connection, without_unsound_vectors(graph), said, self._changes)

    def add(self, observation: Observation, vector: Vector | None = None) -> str:
        """Stores one observation and gives its id, once it is durable.

        ``vector``: of its text by the active embedding model, of unit length, shape (D,).
        Without one the text waits for ``store_vectors``, and is found by its words meanwhile.

        Raises InputError for what cannot be written down; nothing else is lost.
        """
        return self._submit(observation, vector, at_once=True).result()

    def submit(self, observation: Observation, vector: Vector | None = None) -> Future[str]:
        """As ``add``, without waiting: the id comes when its batch is durable.

        Raises InputError at once where that can be told, and StoreBusy when too many wait. What
        only the commit can tell (an id that was used for another) comes from the future.
        """
        return self._submit(observation, vector, at_once=False)

    def flush(self) -> None:
        """Returns when all that was submitted is durable, or was refused."""
        self._group.flush()

    def note_look(self, look: ArrivalLook) -> None:
        """Takes over what a look on arrival says of an object; one told twice counts once."""
        observations.check_stamp(look.stamp_ns)
        with self.database.transaction() as connection:
            arrivals.note(connection, look, self._changes)

    def add_layer(self, name: str) -> None:
        """Makes a layer known. Raises InputError for a name that is empty or too long."""
        if not name.strip() or len(name) > 64:
            raise InputError(f"{name[:80]!r} cannot be a layer: give 1 to 64 characters")
        check_unicode("layer", name)
        with self.database.transaction() as connection:
            observations.layer_key(connection, name)
        self._layers |= {name}

    def add_gist(self, gist: Gist) -> str:
        """Stores a summary and gives its id. Raises InputError for an unknown observation."""
        gists.check(gist)
        with self.database.transaction() as connection:
            return gists.insert(connection, gist)

    def add_piece(self, piece: Piece) -> str:
        """Stores a consolidated piece and gives the id of its gist; "" if it was stored before.

        Raises InputError for an unknown observation, entity or episode.
        """
        consolidation.check(piece)
        with self.database.transaction() as connection:
            return consolidation.store(connection, piece)

    def finish_episode(self, episode_id: str, up_to_key: int = MAX_KEY) -> None:
        """An episode that has ended is consolidated: it may be archived.

        ``up_to_key``: of its last observation that was looked at; it waits on where a late one has
        come since.
        """
        with self.database.transaction() as connection:
            consolidation.finish_episode(connection, episode_id, up_to_key)

    def finish_free(self, up_to_id: str, before_ns: int = MAX_KEY) -> None:
        """Outside of episodes all is consolidated up to this observation: it may be archived.

        ``before_ns``: what has a later stamp was passed over, and waits until it is its time.
        """
        with self.database.transaction() as connection:
            consolidation.finish_free(connection, up_to_id, before_ns)

    def put_history(
        self,
        nodes: Sequence[HistoryNode],
        remove_ids: Sequence[str] = (),
        told: ToldUpTo | None = None,
    ) -> list[str]:
        """Stores nodes of the history tree, or writes known ones anew; their ids, in order.

        All in one commit, with the nodes to take out first, whose children come under their
        parents, and how far the history is told then. A parent or child may be named by its number
        in ``nodes``, as ``@0``, once it has come. Raises InputError for an unknown id.
        """
        for node in nodes:
            history_nodes.check(node)
        with self.database.transaction() as connection:
            history_nodes.remove(connection, remove_ids)
            ids = history_nodes.put_all(connection, nodes)
            if told is not None:
                history_nodes.note_told(connection, told)
        return ids

    def start_episode(
        self,
        name: str,
        parent_id: str,
        stamp_ns: int,
        origin: EpisodeOrigin = EpisodeOrigin.REQUEST,
    ) -> str:
        """Starts an episode and gives its id. Raises InputError for an unknown parent.

        Until it ends, observations belong to it, or to the one started after it.
        """
        self.flush()
        with self.database.transaction() as connection:
            episode_id = episodes.start(connection, name, parent_id, stamp_ns, origin)
            self._episode_key = episodes.active_key(connection)
        return episode_id

    def end_episode(self, episode_id: str, stamp_ns: int, *, is_completed: bool = True) -> Episode:
        """Ends an active episode with those within it; the innermost one when no id is given.

        ``is_completed``: False where nobody knows how it ended: it is interrupted.
        Raises InputError when there is no such active episode.
        """
        self.flush()
        with self.database.transaction() as connection:
            status = EpisodeStatus.COMPLETED if is_completed else EpisodeStatus.INTERRUPTED
            episode = episodes.end(connection, episode_id, stamp_ns, status)
            self._episode_key = episodes.active_key(connection)
        return episode

    def archive(self, before_ns: int, *, only_consolidated: bool = False) -> int:
        """Drops the texts of what was observed before a stamp; how many observations.

        No search finds them any more, only the gists that summarise them; their rows stay as
        evidence of when and where. What belongs to an active episode is left alone. Others write
        meanwhile; after a crash the next call goes on.
        """
        self.flush()
        with self._mending:
            return archiving.archive(self.database, before_ns, only_consolidated=only_consolidated)

    def drop_images(self, before_ns: int) -> int:
        """Deletes images of keyframes taken before a stamp; how many.

        Of each object that is there the newest one stays. A keyframe without an image has an empty
        ``image_path``. Others write meanwhile; after a crash the next call goes on.
        """
        with self._mending:
            return drop_images(self.database, before_ns)

    def forget(self, what: Forget, dry_run: bool = False) -> Forgotten:
        """Deletes what fulfils all that is given, with its words, vectors and images.

        A dry run counts the same, and changes nothing. A crash leaves all of the rows or none,
        and images to the next start. Raises InputError for an unknown id, or an active episode.
        """
        self.flush()
        with self._mending:
            return forgetting.forget(self.database, what, dry_run=dry_run)

    def edit(self, what: Edit, stamp_ns: int) -> Edited:
        """Changes what a person says of objects; ``Undo`` takes it back.

        Later chunks keep to it. Raises InputError for an unknown id or what cannot be done, and
        changes nothing then.
        """
        with self.database.transaction() as connection:
            return editing.edit(connection, what, stamp_ns)

    def _submit(
        self, observation: Observation, vector: Vector | None, *, at_once: bool
    ) -> Future[str]:
        observations.check(observation, self._layers)
        model = self._model
        data = b"" if vector is None else embeddings.packed_vector(vector, model)
        incoming = Incoming(observation, data, model, self._episode_key)
        return self._group.submit(incoming, at_once=at_once)

    def _commit(self, batch: Sequence[Incoming]) -> Sequence[str | Exception]:
        with self.database.transaction() as connection:
            return observations.insert(connection, batch)
