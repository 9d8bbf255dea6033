"""Defects of replies to the association prompt; expected values follow by hand from the rules."""
# ruff: noqa: E501 - a reply is easier to read in one line

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_nodes.association.reply import read_mapping
from memory_nodes.models.ports import Reply

LOCAL = ("mug_1", "rug_1")
KNOWN = ("mug_7", "rug_3", "sofa_2")
GOOD = {"mug_1": "mug_7", "rug_1": "rug_3"}


def _is_other_kind(local_id: str, known_id: str) -> bool:
    return local_id.partition("_")[0] != known_id.partition("_")[0]


def _read(raw: str, *, is_complete: bool = True) -> tuple[dict[str, str | None], set[str]]:
    found = read_mapping(Reply(raw, is_complete), LOCAL, KNOWN, _is_other_kind)
    return found.known_by_local, set(found.problems)


@pytest.mark.parametrize(
    "raw",
    [
        '{"mapping": {"mug_1": "mug_7", "rug_1": "rug_3"}}',
        "{'mapping': {'mug_1': 'mug_7', 'rug_1': 'rug_3'}}",
        '{"mapping": {"mug_1": "mug_7", "rug_1": "rug_3",},}',
        "{mug_1: mug_7, rug_1: rug_3}",
        '{"mug_1": "mug_7"}\n{"rug_1": "rug_3"}',
        '[{"mug_1": "mug_7"}, {"rug_1": "rug_3"}]',
        '{"mapping": [["mug_1", "mug_7"], ["rug_1", "rug_3"]]}',
        "[('mug_1', 'mug_7'), ('rug_1', 'rug_3')]",
        '[{"local": "mug_1", "global": "mug_7"}, {"local": "rug_1", "global": "rug_3"}]',
        '[{"local_id": "mug_1", "match": "mug_7", "why": "red"}, {"local_id": "rug_1", "match": "rug_3"}]',
        '{"matches": {"mug_1": {"id": "mug_7", "confidence": 0.9}, "rug_1": {"known_id": "rug_3"}}}',
        '{"mug_1": ["mug_7"], "rug_1": ["rug_3"]}',
        '{" mug_1": "mug_7 ", "rug 1": "rug 3"}',
        '<think>{"mug_1": null}</think>{"mug_1": "mug_7", "rug_1": "rug_3"}',
        'Draft {"mug_1": null} <answer>{"mug_1": "mug_7", "rug_1": "rug_3"}</answer>',
        '```json\n{"mug_1": "mug_7", "rug_1": "rug_3"}\n```\nThe rest is new.',
        '{"mug_1": "mug_7", "rug_1": "rug_3", "desk_9": "desk_1", "note": "sure"}',
        '{"mapping": {"mug_1": "mug_7"}, "rug_1": "rug_3"}',
        '{"mug_1": "mug_7", "mug_1": "mug_7", "rug_1": "rug_3"}',
    ],
)
def test_every_form_of_a_mapping_is_read(raw: str) -> None:
    assert _read(raw) == (GOOD, set())


@pytest.mark.parametrize("new", ["null", "None", '"new"', '"NEW"', '"none"', '""', '"null"'])
def test_every_word_for_new_is_read(new: str) -> None:
    found = _read(f'{{"mug_1": {new}, "rug_1": "rug_3"}}')
    assert found == ({"mug_1": None, "rug_1": "rug_3"}, set())


@pytest.mark.parametrize(
    ("raw", "mapping", "problems"),
    [
        ('{"mug_1": "mug_9", "rug_1": "rug_3"}', {"rug_1": "rug_3"}, {"unknown_global:mug_1"}),
        ('{"mug_1": "MUG_7", "rug_1": null}', {"rug_1": None}, {"unknown_global:mug_1"}),
        ('{"mug_1": "sofa_2", "rug_1": null}', {"rug_1": None}, {"type_mismatch:mug_1"}),
        ('{"mug_1": "rug_3", "rug_1": "rug_3"}', {"rug_1": "rug_3"}, {"type_mismatch:mug_1"}),
        ('{"mug_1": "mug_1", "rug_1": null}', {"rug_1": None}, {"unknown_global:mug_1"}),
        ('{"rug_1": "rug_3"}', {"rug_1": "rug_3"}, {"missing_local:mug_1"}),
        ("{}", {}, {"missing_local:mug_1", "missing_local:rug_1"}),
        ('{"mug_1": 7, "rug_1": "rug_3"}', {"rug_1": "rug_3"}, {"missing_local:mug_1"}),
        ('{"mug_1": true, "rug_1": "rug_3"}', {"rug_1": "rug_3"}, {"missing_local:mug_1"}),
        (
            '{"mug_1": ["mug_7", "sofa_2"], "rug_1": null}',
            {"rug_1": None},
            {"missing_local:mug_1"},
        ),
        (
            '{"mug_1": "mug_7", "mug_1": null, "rug_1": null}',
            {"rug_1": None},
            {"local_claims_twice:mug_1"},
        ),
    ],
)
def test_bad_decision_goes_alone(
    raw: str, mapping: dict[str, str | None], problems: set[str]
) -> None:
    assert _read(raw) == (mapping, problems)


def test_known_object_claimed_by_two_of_its_kind_is_for_neither() -> None:
    found = read_mapping(
        Reply('{"a_1": "mug_7", "a_2": "mug_7", "a_3": "mug_7", "b_1": "mug_7"}', True),
        ("a_1", "a_2", "a_3", "b_1"),
        ("mug_7",),
        lambda local_id, known_id: local_id == "b_1",
    )
    assert found.known_by_local == {}
    assert set(found.problems) == {
        *("global_claimed_twice:a_1", "global_claimed_twice:a_2", "global_claimed_twice:a_3"),
        "type_mismatch:b_1",
    }


@pytest.mark.parametrize(
    ("raw", "mapping"),
    [
        ('{"mapping": {"mug_1": "mug_7", "rug_1": "ru', {"mug_1": "mug_7"}),
        ('{"mapping": {"mug_1": "mug_7", "rug_1": ', {"mug_1": "mug_7"}),
        ('{"mapping": {"mug_1": "mug_7", "ru', {"mug_1": "mug_7"}),
        ('{"mapping": {"mug_1": "mug_7", ', {"mug_1": "mug_7"}),
        ("{mug_1: mug_7, rug_1: rug_3", {"mug_1": "mug_7"}),
        ('[["mug_1", "mug_7"], ["rug_1", "rug_3"', {"mug_1": "mug_7"}),
        ('[["mug_1", "mug_7"], ["rug_1"', {"mug_1": "mug_7"}),
        (
            '[{"local_id": "mug_1", "known_id": "mug_7"}, {"local_id": "rug_1", "known',
            {"mug_1": "mug_7"},
        ),
        ('{"mapping": {"mug_1": "mug', {}),
        ('{"mapping": {', {}),
    ],
)
def test_cut_reply_keeps_its_whole_decisions(raw: str, mapping: dict[str, str | None]) -> None:
    missing = {f"missing_local:{local_id}" for local_id in LOCAL if local_id not in mapping}
    for is_complete in (True, False):
        assert _read(raw, is_complete=is_complete) == (mapping, {"truncated"} | missing)


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        ("The mug is mug_7 and the rug is rug_3.", "no_json"),
        ("I'm sorry, I can't help with that.", "no_json"),
        ("mug_1 -> mug_7\nrug_1 -> rug_3", "no_json"),
        ("", "empty_reply"),
        (" \n", "empty_reply"),
    ],
)
def test_reply_without_json_decides_nothing(raw: str, problem: str) -> None:
    assert _read(raw) == ({}, {problem})


@given(st.text() | st.lists(st.sampled_from([*'{}[]",:', "mug_1", "mug_7", "null"])).map("".join))
def test_whatever_comes_only_known_ids_come_out(raw: str) -> None:
    mapping, _ = _read(raw)
    assert set(mapping) <= set(LOCAL)
    assert {known_id for known_id in mapping.values() if known_id is not None} <= set(KNOWN)
