"""The reply to a chunk of images: what a vision-language model might say of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from memory_test_support.model_server.chance import draw, pick
from memory_test_support.model_server.frames import FrameRecognizer
from memory_test_support.model_server.messages import SentImage
from memory_test_support.model_server.options import ServerOptions
from memory_test_support.tour import Look, Tour, Truth, View

COLORS = ("red", "green", "blue", "yellow", "white", "black", "brown", "grey")
ATTRIBUTE_LEFT_OUT_RATE = 0.2
SCENE_TYPES = 5
PLACE = "office"


@dataclass(frozen=True)
class _Sighting:
    """An instance in one image of the chunk; the box is in the units of the reply."""

    frame: int
    tour_frame: int
    view: View
    bbox: list[float]


class ChunkDetector:
    """Sees what the annotation holds, less what it misses, with loose boxes and its own words."""

    def __init__(
        self, tour: Tour, truth: Truth, options: ServerOptions, recognizer: FrameRecognizer
    ) -> None:
        self._tour, self._truth, self._options = tour, truth, options
        self._recognizer = recognizer
        self._looks = {member: look for look in truth.looks for member in look.members}

    def reply(self, images: list[SentImage]) -> dict[str, Any]:
        """The scene, objects with ids local to the chunk, boxes by frame, and relations."""
        by_instance: dict[str, list[_Sighting]] = {}
        sent_as: dict[int, int] = {}
        for sent in images:
            index = self._recognizer.recognize(sent.image)
            if index is None:
                continue
            sent_as[index] = sent.frame
            for sighting in self._sightings(sent, index):
                by_instance.setdefault(sighting.view.instance_id, []).append(sighting)
        chunk_key = min(sent_as, default=0)
        local_ids = self._name_locally(by_instance, chunk_key)
        objects = [
            {"id": local_ids[instance], **self._describe(instance, chunk_key)}
            | {"views": [{"frame": s.frame, "bbox": s.bbox} for s in by_instance[instance]]}
            for instance in local_ids
        ]
        relations = self._relations(local_ids, sent_as)
        return {**_scene(objects), "objects": objects, "relations": relations}

    def _sightings(self, sent: SentImage, index: int) -> list[_Sighting]:
        """The annotated boxes of a frame that are not missed, top to bottom, left to right."""
        seen = [
            _Sighting(sent.frame, index, view, self._box(view, index, sent))
            for view in self._truth.views[index]
            if draw(self._options.seed, index, view.instance_id, "miss") >= self._options.miss_rate
        ]
        return sorted(seen, key=lambda s: (s.view.box_px[1], s.view.box_px[0], s.view.instance_id))

    def _box(self, view: View, index: int, sent: SentImage) -> list[float]:
        """The annotated box, loosened, in pixels of the sent image or thousandths of it."""
        full = (self._tour.intrinsics.width_px, self._tour.intrinsics.height_px)
        x0, y0, x1, y1 = view.box_px
        box: list[float] = []
        for edge, value in enumerate(view.box_px):
            axis = edge % 2
            extent = (x1 - x0, y1 - y0)[axis]
            shift = 2 * draw(self._options.seed, index, view.instance_id, "edge", edge) - 1
            value += shift * self._options.box_jitter * extent
            value = min(max(value, 0.0), full[axis])
            scale = 1000 if self._options.bbox_format == "xyxy_norm1000" else sent.image.size[axis]
            box.append(round(value * scale / full[axis], 1))
        return box

    def _name_locally(
        self, by_instance: dict[str, list[_Sighting]], chunk_key: int
    ) -> dict[str, str]:
        """Local ids, numbered from 1 for each spoken type in order of first appearance."""
        numbers: Counter[str] = Counter()
        names: dict[str, str] = {}
        for instance in by_instance:
            spoken, _ = self._wording(self._looks[instance], chunk_key)
            stem = spoken.lower().replace(" ", "_")
            numbers[stem] += 1
            names[instance] = f"{stem}_{numbers[stem]}"
        return names

    def _wording(self, look: Look, chunk_key: int) -> tuple[str, str]:
        """Type and description; all things that look alike get the same words in a chunk."""
        return pick(look.variants, self._options.seed, chunk_key, look.members[0], "words")

    def _describe(self, instance: str, chunk_key: int) -> dict[str, Any]:
        """Type, description and attributes, some left out, by the look alone."""
        look, seed = self._looks[instance], self._options.seed
        key = (seed, chunk_key, look.members[0])
        spoken, description = self._wording(look, chunk_key)
        color = pick(look.colors, *key, "color")
        if draw(seed, chunk_key, instance, "wrong color") < self._options.wrong_color_rate:
            wrong = [other for other in COLORS if other not in " ".join(look.colors)]
            color = pick(wrong, seed, chunk_key, instance, "other color")
        told = {
            "color": color,
            "material": pick(look.materials, *key, "material"),
            "size": look.size,
            "state": pick(look.states, *key, "state") if look.states else "",
        }
        attributes: dict[str, Any] = {
            name: value
            for name, value in told.items()
            if value and draw(*key, "leave out", name) >= ATTRIBUTE_LEFT_OUT_RATE
        }
        attributes["affordances"] = self._affordances(look, chunk_key)
        return {"type": spoken, "description": description, "attributes": attributes}

    def _affordances(self, look: Look, chunk_key: int) -> list[str]:
        """What every member of the look affords; of several, one is sometimes left out."""
        members = [self._truth.instances[member].affordances for member in look.members]
        shared = [one for one in members[0] if all(one in others for others in members)]
        key = (self._options.seed, chunk_key, look.members[0], "affordance")
        if len(shared) > 1 and draw(*key, "leave out") < ATTRIBUTE_LEFT_OUT_RATE:
            shared.remove(pick(shared, *key))
        return shared

    def _relations(
        self, local_ids: dict[str, str], sent_as: dict[int, int]
    ) -> list[dict[str, Any]]:
        """The annotated relations that hold in the chunk between two reported objects."""
        relations = []
        for relation in self._truth.relations:
            frames = [sent_as[frame] for frame in relation.frames if frame in sent_as]
            if frames and relation.subject_id in local_ids and relation.object_id in local_ids:
                relations.append(
                    {
                        "subject": local_ids[relation.subject_id],
                        "predicate": relation.predicate,
                        "object": local_ids[relation.object_id],
                        "frames": frames,
                    }
                )
        return relations


def _scene(objects: list[dict[str, Any]]) -> dict[str, str]:
    """A plain sentence from the first few types of objects; the tour is all in one office."""
    kinds = list(dict.fromkeys(str(item["type"]) for item in objects))[:SCENE_TYPES]
    return {"scene": f"An office with {', '.join(kinds)}.", "place": PLACE} if kinds else {}
