"""A memory with all kinds of items, and the plain list of them: a search that looks at each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from memory_nodes.geometry import Array, Vector3
from memory_nodes.records import NS_PER_S, EntitySighting, ItemKind
from memory_nodes.store import entities
from memory_nodes.store.embeddings import EmbeddingModel
from memory_nodes.store.filters import Filter
from memory_nodes.store.maps import map_key
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer
from memory_nodes.vectors import packed, unpacked
from memory_test_support.records import descriptor, gist, graph, keyframe, observation, view
from memory_test_support.vectors import clustered

DIMENSION = 16
MODEL = EmbeddingModel("a", DIMENSION)
LAYERS = ("speech", "battery", "place")
MAPS = ("home", "shed")


@dataclass(frozen=True)
class Item:
    """What a test knows of one item; keys ascend as the items of a kind are written."""

    kind: ItemKind
    key: int
    item_id: str
    text: str
    start_ns: int
    end_ns: int
    map_id: str
    point_map_m: Vector3 | None
    radius_m: float = 0.0
    layer: str = ""
    episode_ids: tuple[str, ...] = ()
    """The episode it belongs to, and those around it."""
    type: str = ""

    def distance_m(self, center_map_m: Vector3, ignore_height: bool) -> float:
        """Infinite without a place."""
        if self.point_map_m is None:
            return math.inf
        axes = 2 if ignore_height else 3
        away_m = math.dist(self.point_map_m[:axes], center_map_m[:axes])
        return max(away_m - self.radius_m, 0.0)

    def fits(self, wanted: Filter) -> bool:
        return (
            (not wanted.kinds or self.kind in wanted.kinds)
            and (not wanted.layers or self.layer in wanted.layers)
            and (not wanted.object_types or self.type in map(str.lower, wanted.object_types))
            and (not wanted.map_id or self.map_id == wanted.map_id)
            and (not wanted.episode_id or wanted.episode_id in self.episode_ids)
            and (wanted.since_ns is None or self.end_ns >= wanted.since_ns)
            and (wanted.until_ns is None or self.start_ns <= wanted.until_ns)
            and (
                wanted.center_map_m is None
                or self.distance_m(wanted.center_map_m, wanted.ignore_height) <= wanted.radius_m
            )
        )


@dataclass
class MixedMemory:
    """Writes items and lists them. Stamps ascend, but for those of objects, by a second."""

    writer: Writer
    seed: int = 0
    items: list[Item] = field(default_factory=list)
    vectors: dict[str, Array] = field(default_factory=dict)
    """Of each text, as they are stored."""
    _episode_ids: tuple[str, ...] = ()
    _last_ns: int = 0

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.seed)
        self.writer.use_embedding_model(MODEL)

    def fill(self, count: int) -> None:
        """Observations within, between and around episodes, gists, objects and entities, on two
        maps."""
        for number in range(count):
            self._change_episode(number % 20)
            self.observe(f"{LAYERS[number % 3]} of parcel {self._random.integers(count // 6)}")
            if number % 5 == 0:
                self.summarise(f"gist of parcel {self._random.integers(count // 10)}")
            if number % 7 == 0:
                self.see()
        for number in range(count // 10):
            self.notice(f"parcel string {number % 3}")
        self.embed()

    def observe(self, text: str) -> Item:
        stamp_ns, point_m, map_id = self._next_ns(), self._point_m(), self._map_id()
        layer = LAYERS[int(self._random.integers(len(LAYERS)))]
        item_id = self.writer.add(
            observation(text, stamp_ns=stamp_ns, at_map_m=point_m, map_id=map_id, layer=layer)
        )
        return self._listed(
            Item(
                kind=ItemKind.OBSERVATION,
                key=_number(item_id),
                item_id=item_id,
                text=text,
                start_ns=stamp_ns,
                end_ns=stamp_ns,
                map_id=map_id,
                point_map_m=point_m,
                layer=layer,
                episode_ids=self._episode_ids,
            )
        )

    def summarise(self, text: str) -> Item:
        end_ns = self._next_ns()
        sent = gist(
            text,
            center_map_m=self._point_m(),
            radius_m=float(self._random.uniform(0.0, 2.0)),
            start_ns=int(self._random.integers(end_ns)),
            end_ns=end_ns,
            map_id=self._map_id(),
            episode_id=self._episode_ids[0] if self._episode_ids else "",
        )
        item_id = self.writer.add_gist(sent)
        return self._listed(
            Item(
                kind=ItemKind.GIST,
                key=_number(item_id),
                item_id=item_id,
                text=text,
                start_ns=sent.start_ns,
                end_ns=sent.end_ns,
                map_id=sent.map_id,
                point_map_m=sent.center_map_m,
                radius_m=sent.radius_m,
                episode_ids=self._episode_ids,
            )
        )

    def see(self, object_id: str = "", color: str = "") -> Item:
        """An object in a chunk of one keyframe, at a place measured by depth."""
        chunk_id = self.writer.counts().last_chunk_id + 1
        name = object_id or f"{'mug' if chunk_id % 2 else 'lamp'}_{chunk_id}"
        shown = keyframe(chunk_id, map_id=self._map_id())
        point_m = (shown.map_from_base.position_m[0] + 2.0, float(self._random.uniform(-1, 1)), 1.0)
        seen = descriptor(
            name, view(chunk_id, point_map_m=point_m), color=color or f"color {chunk_id % 4}"
        )
        self.writer.commit_chunk(graph(chunk_id, [shown], [seen]))
        self.items = [item for item in self.items if item.item_id != name]
        return self._listed(self._stored(name, shown.map_id))

    def notice(self, name: str, known: Item | None = None) -> Item:
        """An entity that the newest observation speaks of, a new one or a known one once more."""
        spoken_of = next(item for item in reversed(self.items) if item.kind == ItemKind.OBSERVATION)
        stamp_ns, point_m = self._next_ns(), self._point_m()
        map_id = known.map_id if known is not None else self._map_id()
        sighting = EntitySighting(
            name,
            point_m,
            weight=1.0,
            stamp_ns=stamp_ns,
            observation_ids=(spoken_of.item_id,),
            entity_id=known.item_id if known is not None else "",
        )
        with self.writer.database.transaction() as connection:
            place = map_key(connection, map_id, "map")
            (item_id,) = entities.note_views(connection, place, [[sighting]])
        if known is None:
            return self._listed(
                Item(
                    kind=ItemKind.ENTITY,
                    key=_number(item_id),
                    item_id=item_id,
                    text=name,
                    start_ns=stamp_ns,
                    end_ns=stamp_ns,
                    map_id=map_id,
                    point_map_m=point_m,
                )
            )
        assert known.point_map_m is not None and known.start_ns == known.end_ns, "seen once so far"
        x_m, y_m, z_m = np.mean([known.point_map_m, point_m], axis=0).tolist()
        self.items.remove(known)
        return self._listed(replace(known, end_ns=stamp_ns, point_map_m=(x_m, y_m, z_m)))

    def _stored(self, name: str, map_id: str) -> Item:
        """The place is what the memory made of the views: no search had a part in it."""
        reader = Reader(self.writer.database.memory_dir)
        (stored,) = reader.objects([name])
        reader.close()
        with self.writer.database.reading() as connection:
            query = "SELECT object_key FROM object WHERE object_id = ?"
            key = connection.execute(query, (name,)).fetchone()[0]
        return Item(
            kind=ItemKind.OBJECT,
            key=key,
            item_id=name,
            text=f"{stored.type}: {', '.join(stored.attributes.values())}",
            start_ns=stored.first_seen_ns,
            end_ns=stored.last_seen_ns,
            map_id=map_id,
            point_map_m=stored.position.point_m if stored.position is not None else None,
            type=stored.type,
        )

    def embed(self) -> None:
        """Gives every text that waits a vector."""
        waiting = self.writer.texts_without_vector(100_000)
        fresh = clustered(max(1, len(waiting)), DIMENSION, seed=len(self.vectors) + self.seed)
        made = dict(zip(waiting, fresh.astype(np.float64), strict=False))
        self.writer.store_vectors(made)
        for key, vector in made.items():
            self.vectors[waiting[key]] = unpacked([packed(vector)], DIMENSION)[0].astype(float)

    def nearest_texts(self, query: Array, texts: Iterable[str]) -> list[str]:
        """The second method: the cosine of each text by itself, best first."""
        known = {text: float(self.vectors[text] @ query) for text in texts if text in self.vectors}
        return sorted(known, key=lambda text: -known[text])

    def saying(
        self, texts: Iterable[str], k: int, wanted: Filter, per_text: int | None = None
    ) -> list[str]:
        """Ids of the first k items that say these texts, the newest of each text first."""
        found: list[str] = []
        for text in texts:
            items = [item for item in self.items if item.text == text and item.fits(wanted)]
            items.sort(key=lambda item: (-item.end_ns, -item.key, item.kind))
            found += [item.item_id for item in items[:per_text]]
        return found[:k]

    def by_meaning(
        self, query: Array, k: int, wanted: Filter, per_text: int | None = None
    ) -> list[str]:
        said = {item.text for item in self.items if item.fits(wanted)}
        return self.saying(self.nearest_texts(query, said), k, wanted, per_text)

    def _change_episode(self, phase: int) -> None:
        """Outer from 2 to 18, inner within it from 5 to 9 and from 12 to 16."""
        starts: Mapping[int, str] = {2: "patrol", 5: "kitchen", 12: "garden"}
        if phase in starts:
            parent = self._episode_ids[0] if self._episode_ids else ""
            started = self.writer.start_episode(starts[phase], parent, self._next_ns())
            self._episode_ids = (started, *self._episode_ids)
        elif phase in (9, 16, 18):
            self.writer.end_episode(self._episode_ids[0], self._next_ns())
            self._episode_ids = self._episode_ids[1:]

    def _listed(self, item: Item) -> Item:
        self.items.append(item)
        return item

    def _next_ns(self) -> int:
        self._last_ns += NS_PER_S
        return self._last_ns

    def _map_id(self) -> str:
        return MAPS[int(self._random.integers(len(MAPS)))]

    def _point_m(self) -> Vector3:
        x_m, y_m, z_m = self._random.uniform(-5.0, 5.0, 3)
        return float(x_m), float(y_m), float(z_m)


def _number(item_id: str) -> int:
    return int(item_id.rpartition("_")[2])
