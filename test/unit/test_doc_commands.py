"""What README and docs tell users to type: each command is held against what it is for, and run
where it needs no more than a memory.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

from memory_nodes.cli.main import main, parser
from memory_test_support.told_house import write_told_house

PROJECT = Path(__file__).resolve().parents[2]
PAGES = {
    str(path.relative_to(PROJECT)): path.read_text(encoding="utf-8")
    for path in (*PROJECT.glob("*.md"), *sorted((PROJECT / "docs").rglob("*.md")))
}
ENDS = set(";&|<>\n")


def _read(*pattern: str) -> str:
    found = (path for glob in pattern for path in PROJECT.glob(glob))
    return "\n".join(path.read_text(encoding="utf-8") for path in found)


def _blocks(language: str) -> list[str]:
    fence = re.compile(rf"```{language}\n(.*?)```", re.DOTALL)
    return [block for page in PAGES.values() for block in fence.findall(page)]


def _commands(block: str) -> Iterator[tuple[str, ...]]:
    """The words of each command, without comments, here-documents, pipes and redirections."""
    block = re.sub(r" *<<'EOF'\n.*?\nEOF$", "", block, flags=re.DOTALL | re.MULTILINE)
    block = re.sub(r"(^|\s)#.*$", "", block, flags=re.MULTILINE).replace("\\\n", " ")
    lexer = shlex.shlex(re.sub(r"\$\([^)]*\)", "0", block), posix=True, punctuation_chars=";&|<>\n")
    lexer.whitespace, lexer.commenters, lexer.whitespace_split = " \t", "", True
    words: list[str] = []
    for word in (*lexer, "\n"):
        if not set(word) <= ENDS:
            words.append(word)
            continue
        while words and re.match(r"\w+=|sudo$", words[0]):
            del words[0]
        if words:
            yield tuple(words)
        words = []


COMMANDS = sorted({words for block in _blocks("bash") for words in _commands(block)})


def _of(*start: str) -> list[tuple[str, ...]]:
    """What follows these words where a command begins with them."""
    return [words[len(start) :] for words in COMMANDS if words[: len(start)] == start]


CLI = [
    *(words for words in _of("memory") if words[0] != "--ros-args"),
    *_of("ros2", "run", "robot_memory", "memory_cli"),
]
RUN = {"ask", "locate", "timeline", "report", "stats", "doctor", "forget", "completion", "bench"}
"""Those that need a memory and nothing else."""

ENDPOINTS = dict(
    re.findall(r'(?m)^([A-Z_]+) = "([a-z_/]+)"', _read("memory_nodes/ros/endpoints.py"))
)
CODE = _read("memory_nodes/**/*.py")
SERVED = {
    ENDPOINTS[name]: kind for kind, name in re.findall(r"serve\(\s*(\w+), endpoints\.(\w+)", CODE)
}
NODES = {path.stem for path in (PROJECT / "memory_nodes" / "nodes").glob("*_node.py")}
PARAMETERS = _read("docs/parameters.md")


def test_shell_can_read_every_block() -> None:
    script = "\n".join(_blocks("bash"))
    subprocess.run(["bash", "-n"], input=script, text=True, check=True, timeout=10.0)


@pytest.mark.parametrize("page", PAGES)
def test_python_and_yaml_of_a_page_can_be_read(page: str) -> None:
    """Python that needs no ROS is run by the test of its page."""
    for piece in re.findall(r"(?:```python|python - <<'EOF')\n(.*?)(?:```|EOF)", PAGES[page], re.S):
        compile(piece, page, "exec")
    for piece in re.findall(r"```yaml\n(.*?)```", PAGES[page], re.S):
        for section in yaml.safe_load(piece).values():
            for name in section.get("ros__parameters", {}):
                assert f"`{name}`" in PARAMETERS or name.startswith("layer."), name


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    memory_dir = tmp_path_factory.mktemp("house")
    write_told_house(memory_dir)
    return memory_dir


@pytest.mark.parametrize("words", CLI, ids=" ".join)
def test_memory_command_does_what_it_says(
    house: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(house, "memory")
    there = ["--memory-dir", str(tmp_path / "memory")]
    parser().parse_args(words)  # ends with 2 where they cannot be used
    if words[0] not in RUN:
        return
    assert main([*words, *there]) in (0, 1)  # 1: there is nothing of that in this house
    printed = capsys.readouterr()
    assert printed.out
    assert printed.err == ""


def _fill(message: Any, values: dict[str, Any]) -> None:
    """As ros2 does; an unknown field or a value of another type raises."""
    for name, value in values.items():
        before = getattr(message, name)
        if isinstance(value, dict):
            _fill(before, value)
        else:
            setattr(message, name, value if isinstance(value, list) else type(before)(value))


@pytest.mark.parametrize(
    ("words", "part"),
    [
        *((words, "Request") for words in _of("ros2", "service", "call")),
        *((words, "Goal") for words in _of("ros2", "action", "send_goal")),
        *((words, "") for words in _of("ros2", "topic", "pub")),
    ],
    ids=str,
)
def test_values_given_to_ros_fit_their_type(words: tuple[str, ...], part: str) -> None:
    pytest.importorskip("robot_memory.srv")
    name, kind, *values = (word for word in words if not word.startswith("--"))
    module, _, type_name = kind.replace("/", ".").rpartition(".")
    interface = getattr(import_module(module), type_name)
    message = (getattr(interface, part) if part else interface)()
    _fill(message, yaml.safe_load(values[0]) if values else {})
    if part == "Request" and name.startswith("/memory/"):
        assert SERVED[name.removeprefix("/memory/")] == type_name


def test_names_in_the_suite_are_there() -> None:
    layers = set(re.findall(r'`topic` `"(\w+)"`', PARAMETERS))
    known = {*ENDPOINTS.values(), *NODES, *layers}
    named = {name for words in COMMANDS for word in words for name in _in_suite(word)}
    assert named
    assert named <= known


def _in_suite(word: str) -> list[str]:
    return re.findall(r"(?:^|=)/memory/(\w+)$", word)


def _given(words: tuple[str, ...]) -> set[str]:
    return {word.partition(":=")[0] for word in words if ":=" in word}


def test_launch_files_take_these_arguments() -> None:
    suite = _read("launch/memory.launch.py")
    for file, *arguments in _of("ros2", "launch", "robot_memory"):
        own = _read(f"launch/{file}")
        assert own, file
        declared = own + suite if "memory.launch.py" in own else own  # included with its arguments
        for name in _given(tuple(arguments)):
            assert f'"{name}"' in declared, f"{file} {name}"


def test_programs_and_their_parameters_are_there() -> None:
    support = [path.name for path in (PROJECT / "test" / "support" / "bin").iterdir()]
    declared = _read(*(f"test/support/memory_test_support/{name}.py" for name in support))
    programs = {*re.findall(r"(?m)^    (\w+) = ", _read("setup.cfg")), *support}
    started = _of("ros2", "run", "robot_memory")
    assert {words[0] for words in started} <= programs
    started += [words for words in COMMANDS if words[0] in programs]
    others = {*ENDPOINTS.values(), "__ns", "use_sim_time"}
    for name in {name for words in started for name in _given(words)} - others:
        assert f"`{name}`" in PARAMETERS or f"    {name}: " in declared, name


def test_commands_of_dev_are_there() -> None:
    known = set(re.findall(r"^    ([a-z]+)\)", _read("dev"), re.MULTILINE))
    assert {words[0] for words in _of("./dev")} <= known


def test_requirements_and_extras_are_there() -> None:
    words = {word for words in COMMANDS for word in words}
    groups = {group for word in words for group in re.findall(r"^\.\[(.+)\]$", word)}
    extras = {name for group in groups for name in group.split(",")}
    files = {file for word in words for file in re.findall(r"requirements/([a-z]+)\.in$", word)}
    assert files
    assert extras
    assert all((PROJECT / "requirements" / f"{name}.in").is_file() for name in files | extras)


@pytest.mark.parametrize("page", PAGES)
def test_links_of_a_page_lead_somewhere(page: str) -> None:
    for file, anchor in re.findall(r"\]\((?!http)([^)#]*)#?([^)]*)\)", PAGES[page]):
        target = (PROJECT / page).parent / file if file else PROJECT / page
        assert target.exists(), file
        if anchor:
            headings = re.findall(r"^#+ (.+)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            slugs = {re.sub(r"[^\w -]", "", line.lower()).replace(" ", "-") for line in headings}
            assert anchor in slugs, f"{file}#{anchor}"
