"""What is damaged in an export is reported by file and line, and costs nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory_nodes.errors import InputError
from memory_nodes.store.doctor.doctor import examine
from memory_nodes.store.exchange import importing
from memory_nodes.store.exchange.export_lines import FILES
from memory_nodes.store.exchange.exporting import export
from memory_nodes.store.exchange.importing import import_
from memory_nodes.store.past import Past
from memory_nodes.store.reader import Reader


def _edit(path: Path, number: int, edit: Callable[[dict[str, Any]], Any]) -> None:
    """Changes the fields of one line, counted from 1."""
    lines = path.read_text(encoding="utf-8").splitlines()
    fields = json.loads(lines[number - 1])
    edit(fields)
    lines[number - 1] = json.dumps(fields)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _damage(path: Path, number: int, line: bytes) -> None:
    lines = path.read_bytes().splitlines()
    lines[number - 1] = line
    path.write_bytes(b"\n".join(lines) + b"\n")


def _faults(memory_dir: Path) -> list[str]:
    return [item.code for item in examine(memory_dir) if item.severity != "ok"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"", "no JSON"),
        (b"{", "no JSON"),
        (b'"text"', "not a JSON object"),
        (b"\xff\xfe", "no JSON in UTF-8"),
        (b"[" * 100_000, "no JSON"),
        (b"{}", "observation_id is missing"),
    ],
    ids=["empty", "cut off", "no object", "not utf-8", "nested", "no fields"],
)
def test_damaged_line_is_named_and_costs_no_other(
    exported: Path, tmp_path: Path, line: bytes, why: str
) -> None:
    _damage(exported / "observations.jsonl", 4, line)
    imported = import_(exported, tmp_path / "second")
    assert imported.counts["observations.jsonl"] == 4
    assert imported.problems[0].startswith("observations.jsonl:4: skipped: ")
    assert why in imported.problems[0]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("stamp_ns", -1),
        ("stamp_ns", 2**63),
        ("stamp_ns", 1.5),
        ("stamp_ns", True),
        ("confidence", 2.0),
        ("confidence", None),
        ("confidence", 10**400),
        ("layer", "unheard of"),
        ("text", ""),
        ("text", "\ud800"),
        ("text", 7),
        ("source", ["list"]),
        ("map_from_base", {"position_m": [1.0, 2.0], "quat_xyzw": [0.0, 0.0, 0.0, 1.0]}),
        ("map_from_base", {"position_m": [1.0, 2.0, 3.0], "quat_xyzw": [0.0, 0.0, 0.0, 0.0]}),
        ("observation_id", "observation_1"),
        ("observation_id", "no id"),
        ("observation_id", "episode_1"),
        ("episode_id", "gist_1"),
    ],
)
def test_observation_that_could_not_be_written_down_is_not_imported(
    exported: Path, tmp_path: Path, name: str, value: object
) -> None:
    _edit(exported / "observations.jsonl", 4, lambda fields: fields.update({name: value}))
    imported = import_(exported, tmp_path / "second")
    assert imported.counts["observations.jsonl"] == 4
    assert imported.problems[0].startswith("observations.jsonl:4: skipped: ")
    assert _faults(tmp_path / "second") == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("name", " "), ("name", "x" * 201), ("weight", 0.0), ("weight", None)),
        *(("position_map_m", [1.0, 2.0]), ("position_map_m", [1.0, 2.0, 1e8])),
        *(("first_seen_ns", -1), ("entity_id", "gist_1"), ("observation_count", -1)),
    ],
)
def test_entity_that_could_not_be_written_down_is_not_imported(
    exported: Path, tmp_path: Path, name: str, value: object
) -> None:
    _edit(exported / "entities.jsonl", 2, lambda fields: fields.update({name: value}))
    imported = import_(exported, tmp_path / "second")
    assert imported.counts["entities.jsonl"] == 1
    assert imported.problems[0].startswith("entities.jsonl:2: skipped: ")
    assert _faults(tmp_path / "second") == []


def test_entity_of_an_object_that_is_not_there_comes_without_it(
    exported: Path, tmp_path: Path
) -> None:
    _edit(exported / "entities.jsonl", 1, lambda fields: fields.update(object_id="mug_99"))
    imported = import_(exported, tmp_path / "second")
    assert imported.problems == ["entities.jsonl:1: its object mug_99 is not there"]
    past = Past(tmp_path / "second")
    assert [item.object_id for item in past.entities()] == ["", ""]
    past.close()


@pytest.mark.parametrize(
    ("file_name", "name"), [("history.jsonl", "unit"), ("episodes.jsonl", "origin")]
)
def test_word_that_is_none_of_a_list_is_refused_with_the_list(
    exported: Path, tmp_path: Path, file_name: str, name: str
) -> None:
    _edit(exported / file_name, 1, lambda fields: fields.update({name: "odd"}))
    imported = import_(exported, tmp_path / "second")
    assert f"{file_name}:1: skipped: 'odd' is not one of " in imported.problems[0]


def test_infinity_and_nan_are_no_numbers(exported: Path, tmp_path: Path) -> None:
    path = exported / "observations.jsonl"
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    for number, value in enumerate(("NaN", "Infinity", "1e999")):
        lines[number] = lines[number].replace('"confidence": 0.75', f'"confidence": {value}')
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    imported = import_(exported, tmp_path / "second")
    named = [problem for problem in imported.problems if problem.startswith("observations")]
    assert [problem.partition(": ")[0] for problem in named] == [
        f"observations.jsonl:{number}" for number in (1, 2, 3)
    ]


@pytest.mark.parametrize("file_name", FILES)
def test_damage_in_any_file_leaves_a_sound_memory(
    exported: Path, tmp_path: Path, file_name: str
) -> None:
    _damage(exported / file_name, 1, b"damaged")
    imported = import_(exported, tmp_path / "second")
    assert imported.problems[0].startswith(f"{file_name}:1: skipped: ")
    assert set(_faults(tmp_path / "second")) <= {"images_unused"}


def test_lost_keyframe_costs_its_views_and_relations_but_no_object(
    exported: Path, tmp_path: Path
) -> None:
    _damage(exported / "keyframes.jsonl", 2, b"damaged")
    import_(exported, tmp_path / "second")
    reader = Reader(tmp_path / "second")
    objects, relations, keyframes = reader.graph()
    reader.close()
    assert [item.keyframe_id for item in keyframes] == [1, 3]
    assert {o.object_id: [v.keyframe_id for v in o.views] for o in objects} == {
        "mug_1": [1, 3],
        "desk_1": [1],
    }
    assert len(relations) == 1


def test_lost_episode_does_not_take_its_observations_along(exported: Path, tmp_path: Path) -> None:
    _damage(exported / "episodes.jsonl", 3, b"damaged")
    imported = import_(exported, tmp_path / "second")
    assert imported.counts["observations.jsonl"] == 5
    noted = "observations.jsonl:3: its episode_id episode_3 is not there"
    assert noted in imported.problems
    again = export(tmp_path / "second", "all", "jsonl")
    line = json.loads((again / "observations.jsonl").read_text().splitlines()[2])
    assert line["episode_id"] is None


@pytest.mark.parametrize(
    "image_path",
    [
        *("../secret.jpg", "images/../../secret.jpg", "/etc/passwd", "secret.jpg"),
        *("images/link.jpg", "images//1.jpg", "images/./1.jpg", "images", "images/"),
        "images/a\0b.jpg",
    ],
)
def test_image_path_that_leads_elsewhere_is_refused(
    exported: Path, tmp_path: Path, image_path: str
) -> None:
    secret = exported.parent / "secret.jpg"
    secret.write_bytes(b"secret")
    (exported / "images/link.jpg").symlink_to(secret)
    _edit(exported / "keyframes.jsonl", 1, lambda fields: fields.update(image_path=image_path))
    imported = import_(exported, tmp_path / "second")
    assert "keyframes.jsonl:1: skipped: image path" in imported.problems[0]
    copied = (tmp_path / "second").rglob("*.jpg")
    assert sorted(path.name for path in copied) == ["2.jpg", "3.jpg"]


def test_linked_image_directory_is_not_followed(exported: Path, tmp_path: Path) -> None:
    (exported / "images").rename(tmp_path / "elsewhere")
    (exported / "images").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="is a link"):
        import_(exported, tmp_path / "second")
    assert not (tmp_path / "second").exists()


def test_missing_image_is_noted_and_its_keyframe_kept(exported: Path, tmp_path: Path) -> None:
    (exported / "images/2.jpg").unlink()
    imported = import_(exported, tmp_path / "second")
    assert imported.problems == ["keyframes.jsonl:2: its image images/2.jpg is not there"]
    assert (imported.counts["keyframes.jsonl"], imported.images) == (3, 2)


def test_file_that_was_cut_off_at_a_line_is_noticed(exported: Path, tmp_path: Path) -> None:
    path = exported / "observations.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:3]))
    imported = import_(exported, tmp_path / "second")
    assert "observations.jsonl: it has 3 lines, manifest.json says 5" in imported.problems


def test_file_that_is_missing_is_noticed(exported: Path, tmp_path: Path) -> None:
    (exported / "gists.jsonl").unlink()
    imported = import_(exported, tmp_path / "second")
    assert "gists.jsonl: it has 0 lines, manifest.json says 1" in imported.problems


def test_line_that_is_too_long_is_skipped_as_one(
    exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "MAX_LINE_BYTES", 2000)
    _damage(exported / "observations.jsonl", 1, b'{"text": "' + b"x" * 10_000 + b'"}')
    imported = import_(exported, tmp_path / "second")
    assert imported.problems[0] == (
        "observations.jsonl:1: skipped: the line is longer than 2000 bytes"
    )
    assert imported.counts["observations.jsonl"] == 4


def test_problems_are_counted_on_when_the_list_is_full(
    exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "MAX_PROBLEMS", 2)
    for number in range(1, 6):
        _damage(exported / "observations.jsonl", number, b"damaged")
    imported = import_(exported, tmp_path / "second")
    assert (len(imported.problems), imported.skipped >= 5) == (2, True)
    assert imported.problem_count >= 5
