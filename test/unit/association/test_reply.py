"""Replies to the association prompt: usable decisions stay, the rest is named."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memory_nodes.association.reply import Decisions, read_mapping
from memory_test_support.recorded_models import reply

LOCAL = ("mug_1", "mug_2")
KNOWN = ("mug_7", "mug_8")


def _is_other_kind(local_id: str, known_id: str) -> bool:
    return local_id.partition("_")[0] != known_id.partition("_")[0]


def _read(value: Any) -> Decisions:
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
    assert _read(value) == Decisions({"mug_1": "mug_7", "mug_2": None}, ())


def test_unknown_known_id_is_left_to_the_fallback() -> None:
    found = _read({"mug_1": "sofa_99", "mug_2": "mug_8"})
    assert found == Decisions({"mug_2": "mug_8"}, ("unknown_global:mug_1",))


def test_known_object_claimed_twice_is_left_to_the_fallback() -> None:
    found = _read({"mug_1": "mug_7", "mug_2": "mug_7"})
    assert found.known_by_local == {}
    assert set(found.problems) == {"global_claimed_twice:mug_1", "global_claimed_twice:mug_2"}


def test_known_object_claimed_by_two_that_may_be_one_is_for_both() -> None:
    text = reply('{"mug_1": "mug_7", "mug_2": "mug_7"}')
    found = read_mapping(text, LOCAL, KNOWN, may_be_one=lambda one, other: True)
    assert found == Decisions({"mug_1": "mug_7", "mug_2": "mug_7"}, ())


def test_object_that_is_left_out_is_left_to_the_fallback() -> None:
    assert _read({"mug_2": None}) == Decisions({"mug_2": None}, ("missing_local:mug_1",))


def test_local_id_that_was_never_given_is_ignored() -> None:
    found = _read({"mug_1": None, "mug_2": None, "'; DROP TABLE object; --": "mug_7"})
    assert found == Decisions({"mug_1": None, "mug_2": None}, ())


@pytest.mark.parametrize("junk", [3, None, "mug_1", ["mug_1"], [1, "mug_7"], {"known_id": "mug_7"}])
def test_junk_among_the_pairs_is_ignored(junk: Any) -> None:
    found = _read({"mapping": [junk, ["mug_1", "mug_7"], ["mug_2", 5]]})
    assert found == Decisions({"mug_1": "mug_7"}, ("missing_local:mug_2",))


@pytest.mark.parametrize(
    ("text", "code"),
    [("they are the same", "no_json"), ("", "empty_reply"), ('{"map', "truncated")],
)
def test_reply_without_a_mapping_says_why(text: str, code: str) -> None:
    found = _read(text)
    assert found.known_by_local == {}
    assert found.problems[0] == code


def test_known_object_of_another_kind_is_left_to_the_fallback() -> None:
    said = reply('{"mug_1": "mug_7", "cat_1": "sofa_1"}')
    found = read_mapping(said, ("mug_1", "cat_1"), ("mug_7", "sofa_1"), _is_other_kind)
    assert found == Decisions({"mug_1": "mug_7"}, ("type_mismatch:cat_1",))


def test_claim_of_another_kind_takes_nothing_from_the_right_one() -> None:
    said = reply('{"mug_1": "mug_7", "rug_1": "mug_7"}')
    found = read_mapping(said, ("mug_1", "rug_1"), ("mug_7",), _is_other_kind)
    assert found == Decisions({"mug_1": "mug_7"}, ("type_mismatch:rug_1",))


def test_two_answers_for_one_object_are_none() -> None:
    found = _read('{"mug_1": "mug_7", "mug_1": "mug_8", "mug_2": null}')
    assert found.known_by_local == {"mug_2": None}
    assert found.problems == ("local_claims_twice:mug_1",)


def test_two_known_objects_that_are_said_to_be_one_are_named() -> None:
    found = _read('{"mug_1": "mug_7", "mug_1": "mug_8", "mug_2": "mug_8", "mug_2": null}')
    assert found.same_known == {frozenset(("mug_7", "mug_8"))}
    assert _read('{"mug_1": "mug_7", "mug_1": "sofa_99"}').same_known == frozenset()


def test_reply_that_was_cut_off_keeps_its_whole_decisions() -> None:
    text = '{"mapping": {"mug_1": "mug_7", "mug_2": "mu'
    found = read_mapping(reply(text, is_complete=False), LOCAL, KNOWN)
    assert found == Decisions({"mug_1": "mug_7"}, ("truncated", "missing_local:mug_2"))
