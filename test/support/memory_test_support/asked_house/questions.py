"""Questions about a house whose answers are known, in the words of the memory and in others."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import TypeVar

from memory_nodes.records import ObjectDescriptor
from memory_test_support.asked_house.kinds import Kind
from memory_test_support.asked_house.plan import HEIGHT_PX, WIDTH_PX, AskedHouse, Spot
from memory_test_support.tour import Question

Item = TypeVar("Item")

MIN_AREA_PX2 = 300.0
"""A smaller view, or one at the edge of the picture, answers nothing."""
MOST = 0.6
"""A keyframe tells what is on a table if it shows so much of it."""
UNANSWERABLE = "unanswerable"


def ask(house: AskedHouse, seed: int, per_type: int) -> list[Question]:
    """So many questions of each type of VL-KnG, section 7, and as many about what is not there."""
    asker = _Asker(house, random.Random(seed))
    kinds = (asker.search, asker.scene, asker.relation, asker.action, asker.absent)
    return [question for questions in kinds for question in questions(per_type)]


class _Asker:
    """Ground-truth frames are ids of keyframes."""

    def __init__(self, house: AskedHouse, chance: random.Random) -> None:
        self._house = house
        self._chance = chance
        self._color = {item.object_id: item.attributes["color"] for item in house.objects}
        self._clear = {item.object_id: _clear_keyframes(item) for item in house.objects}
        looks = Counter(self._name(key) for key in self._color)
        self._unique = [key for key in self._color if looks[self._name(key)] == 1]
        """What its colour and kind tell from all others."""

    def search(self, count: int) -> Iterator[Question]:
        furniture = {spot.object_ids[0] for spot in self._house.spots}
        things = [key for key in self._unique if key not in furniture]
        for key in self._some(things, count):
            text = f"Where is the {self._name(key)}?"
            other = f"Where did somebody leave the {self._spoken(key)}?"
            yield self._question("object_search", text, other, [key], self._clear[key])

    def scene(self, count: int) -> Iterator[Question]:
        spots = [spot for spot in self._house.spots if spot.object_ids[0] in self._unique]
        for spot in self._some(spots, count):
            table, *things = spot.object_ids
            text = f"What is on the {self._name(table)}?"
            other = f"What has been put on the {self._spoken(table)}?"
            shown = [key for key in spot.keyframe_ids if self._shows_most(spot, key)]
            yield self._question("scene_description", text, other, [table, *things], shown)

    def relation(self, count: int) -> Iterator[Question]:
        pairs = [
            (left, right)
            for spot in self._house.spots
            for left, right in zip(spot.object_ids[1:], spot.object_ids[2:], strict=False)
            if right in self._unique and self._clear[left] & self._clear[right]
        ]
        for left, right in self._some(pairs, count):
            text = f"What stands next to the {self._name(right)}?"
            other = f"What is beside the {self._spoken(right)}?"
            shown = self._beside(right)
            yield self._question("spatial_relation", text, other, [left, right], shown)

    def action(self, count: int) -> Iterator[Question]:
        users: dict[Kind, list[str]] = defaultdict(list)
        for key, kind in self._house.kind_of.items():
            if kind.deed:
                users[kind].append(key)
        for kind in self._some(list(users), count):
            text = f"Where can I {kind.deed}?"
            other = f"{kind.need}. Where do I go?"
            shown = set[int]().union(*(self._clear[key] for key in users[kind]))
            yield self._question("action_place", text, other, users[kind], shown)

    def absent(self, count: int) -> Iterator[Question]:
        """Of kinds that are nowhere, in colours and on furniture that are there."""
        for number, kind in enumerate(self._some(self._house.absent, count)):
            color = self._chance.choice(list(self._color.values()))
            text = f"Where is the {color} {kind.name}?"
            if number % 3 == 1:
                text = f"Where is the {kind.name} on the {self._name(self._a_table())}?"
            if number % 3 == 2 and kind.deed:
                text = f"Where can I {kind.deed}?"
            other = f"Where did somebody leave the {color} {kind.spoken}?"
            yield self._question(UNANSWERABLE, text, other, [], ())

    def _question(
        self, kind: str, text: str, other: str, targets: Sequence[str], shown: Collection[int]
    ) -> Question:
        return Question(
            question_id=f"{kind}: {text}",
            kind=kind,
            text=text,
            paraphrase=other,
            answer="",
            answer_keywords=(),
            target_ids=tuple(targets),
            ground_truth_frames=tuple(sorted(shown)),
            answerable=kind != UNANSWERABLE,
        )

    def _some(self, items: Sequence[Item], count: int) -> list[Item]:
        return self._chance.sample(items, min(count, len(items)))

    def _a_table(self) -> str:
        return self._chance.choice(self._house.spots).object_ids[0]

    def _name(self, key: str) -> str:
        return f"{self._color[key]} {self._house.kind_of[key].name}"

    def _spoken(self, key: str) -> str:
        return f"{self._color[key]} {self._house.kind_of[key].spoken}"

    def _shows_most(self, spot: Spot, keyframe_id: int) -> bool:
        table, *things = spot.object_ids
        shown = sum(keyframe_id in self._clear[key] for key in things)
        return keyframe_id in self._clear[table] and shown >= MOST * len(things)

    def _beside(self, key: str) -> set[int]:
        """The keyframes that show it and something next to it."""
        spot = next(spot for spot in self._house.spots if key in spot.object_ids)
        place = spot.object_ids.index(key)
        beside = [
            spot.object_ids[i] for i in (place - 1, place + 1) if 0 < i < len(spot.object_ids)
        ]
        return self._clear[key] & set[int]().union(*(self._clear[other] for other in beside))


def _clear_keyframes(item: ObjectDescriptor) -> set[int]:
    return {
        view.keyframe_id
        for view in item.views
        if view.box.area_px2 >= MIN_AREA_PX2 and not view.box.touches_border(WIDTH_PX, HEIGHT_PX)
    }
