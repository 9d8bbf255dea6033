"""Replies to the association prompt: usable decisions stay, the rest is named."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memory_nodes.association.reply import Mapping, read_mapping
from memory_nodes.errors import ReplyError
from memory_test_support.recorded_models import reply

LOCAL = ["mug_1", "mug_2"]
KNOWN = ["mug_7", "mug_8"]


def _read(value: Any) -> Mapping:
    text = value if isinstance(value, str) else json.dumps(value)
    return read_mapping(reply(text), LOCAL, KNOWN)


@pytest.mark.parametrize(
    "value",
    [
        {
            "mapping": [
                {"local_id": "mug_1", "known_id": "mug_7"},
                {"local_id": "mug_2", "known_id": None},
            ]
        },
        {"mapping": {"mug_1": "mug_7", "mug_2": "new"}},
        {"mug_1": "mug_7", "mug_2": None},
        {"mapping": [["mug_1", "mug_7"], ["mug_2", "null"]]},
        [{"local_id": "mug_1", "known_id": "mug_7"}, {"local_id": "mug_2", "known_id": ""}],
        '```json\n{"mapping": {"mug_1": "mug_7", "mug_2": null}}\n```',
        'Pairs [1]: {"mapping": {"mug_1": "mug_7", "mug_2": null}}. Done.',
    ],
    ids=["as asked", "object", "bare object", "pairs", "bare list", "fenced", "in prose"],
)
def test_every_usual_form_is_read(value: Any) -> None:
    assert _read(value) == Mapping({"mug_1": "mug_7", "mug_2": None}, ())


def test_unknown_known_id_is_left_to_the_fallback() -> None:
    found = _read({"mug_1": "sofa_99", "mug_2": "mug_8"})
    assert found == Mapping({"mug_2": "mug_8"}, ("unknown_global:mug_1",))


def test_known_object_claimed_twice_is_left_to_the_fallback() -> None:
    found = _read({"mug_1": "mug_7", "mug_2": "mug_7"})
    assert found.known_by_local == {}
    assert set(found.problems) == {"global_claimed_twice:mug_1", "global_claimed_twice:mug_2"}


def test_object_that_is_left_out_is_left_to_the_fallback() -> None:
    assert _read({"mug_2": None}) == Mapping({"mug_2": None}, ("missing_local:mug_1",))


def test_local_id_that_was_never_given_is_ignored() -> None:
    found = _read({"mug_1": None, "mug_2": None, "'; DROP TABLE object; --": "mug_7"})
    assert found == Mapping({"mug_1": None, "mug_2": None}, ())


@pytest.mark.parametrize("junk", [3, None, "mug_1", ["mug_1"], [1, "mug_7"], {"known_id": "mug_7"}])
def test_junk_among_the_pairs_is_ignored(junk: Any) -> None:
    found = _read({"mapping": [junk, ["mug_1", "mug_7"], ["mug_2", 5]]})
    assert found == Mapping({"mug_1": "mug_7"}, ("missing_local:mug_2",))


@pytest.mark.parametrize("text", ["they are the same", "", '{"mapping": 5}'])
def test_reply_without_a_mapping_is_refused(text: str) -> None:
    with pytest.raises(ReplyError):
        _read(text)
