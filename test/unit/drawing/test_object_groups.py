from __future__ import annotations

import pytest

from memory_nodes.drawing.object_groups import OTHER_GROUP, group_of
from memory_test_support.records import descriptor


@pytest.mark.parametrize(
    ("object_id", "group"),
    [
        ("office_chair_1", "seats"),
        ("coffee_table_1", "tables, shelves"),
        ("potted_plants_1", "plants"),
        ("coffee_machine_1", "kitchen"),
        ("table_lamp_1", "lamps"),
        ("gizmo_1", OTHER_GROUP.name),
    ],
)
def test_last_known_word_of_the_type_decides(object_id: str, group: str) -> None:
    assert group_of(descriptor(object_id)).name == group
