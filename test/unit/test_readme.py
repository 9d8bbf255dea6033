"""What the README tells users to type is what is checked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
README = (PROJECT / "README.md").read_text(encoding="utf-8")
CODE_BLOCKS = re.findall(r"```bash\n(.*?)```", README, re.DOTALL)


def test_test_command_of_the_readme_is_what_ci_runs() -> None:
    commands = {line.strip() for block in CODE_BLOCKS for line in block.splitlines()}
    assert {"./dev demo", "./dev test"} <= commands
    assert "./dev test" in (PROJECT / ".ci" / "run").read_text(encoding="utf-8")


@pytest.mark.parametrize("link", re.findall(r"\]\((?!http|#)([^)#]+)", README))
def test_every_link_of_the_readme_leads_somewhere(link: str) -> None:
    assert (PROJECT / link).exists()


def test_interfaces_named_in_the_readme_exist() -> None:
    named = set(re.findall(r"robot_memory/(msg|srv|action)/(\w+)", README))
    assert named
    for kind, name in named:
        assert (PROJECT / kind / f"{name}.{kind}").is_file()


def test_launch_arguments_named_in_the_readme_exist() -> None:
    launch = (PROJECT / "launch" / "memory.launch.py").read_text(encoding="utf-8")
    named = set(re.findall(r"(?<!-p )(?<!-r )\b([a-z_]+):=", README))
    assert named
    for name in named:
        assert f'"{name}"' in launch, name


def test_parameters_named_in_the_readme_exist() -> None:
    player = PROJECT / "test" / "support" / "memory_test_support" / "tour_player.py"
    declared = (PROJECT / "docs" / "parameters.md").read_text(encoding="utf-8")
    declared += player.read_text(encoding="utf-8")
    named = set(re.findall(r"-p ([a-z_]+):=", README))
    assert named
    for name in named:
        assert f"`{name}`" in declared or f"    {name}: " in declared, name


def test_python_pieces_of_the_readme_compile() -> None:
    """That they do what they say is tried by hand."""
    pieces = re.findall(r"python - <<'EOF'\n(.*?)EOF", README, re.DOTALL)
    assert pieces
    for piece in pieces:
        compile(piece, "README.md", "exec")
