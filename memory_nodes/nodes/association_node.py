"""Chunk detections in, chunk graphs with identities out."""

from __future__ import annotations

from concurrent.futures import Future

from robot_memory.msg import ChunkGraph as ChunkGraphMsg

from memory_nodes.association.associator import (
    WITHOUT_MEANING,
    WITHOUT_MODEL,
    Associator,
    AssociatorConfig,
)
from memory_nodes.association.clear_looks import ClearLookConfig
from memory_nodes.association.meaning import Meaning
from memory_nodes.models.openai_endpoint import EndpointConfig
from memory_nodes.models.text_embedders import TextEmbedderConfig, embedder_for
from memory_nodes.records import ChunkGraph
from memory_nodes.ros import endpoints
from memory_nodes.ros.chat import metered_chat
from memory_nodes.ros.conversions import graph_from_msg, graph_to_msg
from memory_nodes.ros.declaring import declare
from memory_nodes.ros.main import run
from memory_nodes.ros.memory_node import MemoryNode
from memory_nodes.store.reader import Reader
from memory_nodes.store.search import Search

TROUBLES = {"model": WITHOUT_MODEL, "text embedder": WITHOUT_MEANING}
"""What may be away, and how the problem line of a graph begins that was resolved without it."""


class AssociationNode(MemoryNode):
    """Gives each object of a chunk an identity of the whole memory, one chunk at a time.

    The detector sends the next chunk when the last one is stored, and sends again what is not:
    the memory on disk is all the state there is, and the associator's index a cache of it.
    """

    def __init__(self, **options: object) -> None:
        super().__init__("association_node", **options)
        self.association = declare(self, AssociatorConfig)
        self.looking = declare(self, ClearLookConfig)
        self.embedding = declare(self, TextEmbedderConfig)
        self.endpoint = declare(self, EndpointConfig)

    def open(self) -> None:
        self.reader = Reader(self.suite.memory_path)
        self.on_close(self.reader.close)
        self.search = Search(self.suite.memory_path)
        self.on_close(self.search.close)
        self.embedder = embedder_for(self.embedding, self.endpoint)
        self.associator = Associator(
            metered_chat(self.health, lambda: self.endpoint),
            self.reader,
            self.association,
            self.endpoint.call_timeout_s,
            self._meaning(),
            self.looking,
        )

    def use_parameters(self) -> None:
        self.associator.config = self.association

    def start(self) -> None:
        self._work: Future[ChunkGraph] | None = None
        if self.embedder is not None:  # loaded before the first chunk needs it
            self.background.start(self.embedder.embed([], self.embedding.embedding_timeout_s))
        self.graphs = self.announce(ChunkGraphMsg, endpoints.CHUNK_GRAPHS, endpoints.EVENT)
        self.listen(ChunkGraphMsg, endpoints.CHUNK_DETECTIONS, self._on_detections, endpoints.EVENT)

    def _meaning(self) -> Meaning | None:
        if self.embedder is None:
            return None
        timeout_s = self.embedding.embedding_timeout_s
        return Meaning(self.search, self.reader, self.embedder, timeout_s)

    def _on_detections(self, message: ChunkGraphMsg) -> None:
        if self._work is not None and not self._work.done():
            return  # it is sent again, when this one is done or lost
        self._work = self.background.start(self.associator.resolve(graph_from_msg(message)))
        self._work.add_done_callback(lambda work: self.in_executor(lambda: self._publish(work)))

    def _publish(self, work: Future[ChunkGraph]) -> None:
        if work.cancelled():
            return
        graph = work.result()
        self.counters["chunks_resolved"] += 1
        self.counters["problems"] += len(graph.problems)
        for about, start in TROUBLES.items():
            without = (line for line in graph.problems if line.startswith(start))
            self.trouble(next(without, None), about)
        self.graphs.publish(graph_to_msg(graph))


def main() -> int:
    return run(AssociationNode)
