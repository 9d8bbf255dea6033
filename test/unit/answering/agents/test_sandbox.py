"""Code of a model computes and calls what it is given; hostile code gets nothing else done."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from memory_nodes.answering.agents.config import AgentConfig
from memory_nodes.answering.agents.sandbox import END, Function, Outcome, Sandbox
from memory_nodes.errors import ExtraMissing, InputError, ModelUnavailable

CONFIG = AgentConfig(code_time_s=0.3, code_calls=20, code_output_chars=200)
SECRET = "secret-of-the-host"


class Functions:
    """What the code is given; it keeps the calls."""

    def __init__(self) -> None:
        self.calls: list[object] = []

    async def look(self, where: object, times: object = 1) -> object:
        self.calls.append(where)
        if where == "nowhere":
            raise InputError("no such place: try the desk")
        if where == "away":
            raise ModelUnavailable("the model is away")
        return [{"id": str(where)}]

    async def stop(self) -> object:
        return END


def run(*codes: str, functions: Functions | None = None) -> Outcome:
    """The outcome of the last of some pieces of code, run one after the other."""
    given = functions or Functions()
    known: dict[str, Function] = {"look": given.look, "stop": given.stop}

    async def outcomes() -> Sequence[Outcome]:
        sandbox = Sandbox(CONFIG)
        return [await sandbox.run(code, known) for code in codes]

    return asyncio.run(outcomes())[-1]


def test_code_calls_what_it_is_given_and_its_output_is_shown() -> None:
    functions = Functions()
    code = 'for place in ("desk", "sofa"):\n    print(look(place)[0]["id"])\nlen(look("bed"))'
    assert run(code, functions=functions) == Outcome("desk\nsofa\n1")
    assert functions.calls == ["desk", "sofa", "bed"]


def test_what_code_has_set_the_next_finds() -> None:
    assert run("n = 20\ndef f(): return n + 1", "f() * 2") == Outcome("42")


def test_what_failed_leaves_nothing_behind() -> None:
    assert "NameError" in run("n = 1", "m = 2\n1 / 0", "n + m").error


def test_function_ends_the_code_that_calls_it() -> None:
    functions = Functions()
    outcome = run('print(1)\nstop()\nlook("desk")', functions=functions)
    assert (outcome.output, outcome.is_ended, functions.calls) == ("1", True, [])


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ('look("nowhere")', "no such place: try the desk"),
        ('look("away")', "the model is away"),
        ("look()", "call it as look(where, times)"),
        ("look(1, 2, 3)", "call it as look(where, times)"),
        ("print(1)\nlok(2)", "line 2: NameError"),
        ("1 +", "plain Python"),
        ('await look("desk")', "Leave out await"),
        ('list(map(look, ["desk"]))', "plain for loop"),
        ("x" * 5000, "the limit is 4000"),
    ],
)
def test_error_says_where_and_what_to_do(code: str, said: str) -> None:
    assert said in run(code).error


def test_error_of_a_function_can_be_caught() -> None:
    code = 'try:\n    look("nowhere")\nexcept ValueError as error:\n    print("no:", error)'
    assert run(code) == Outcome("no: no such place: try the desk")


def test_nodes_are_not_echoed_and_numbers_too_long_are_not_written() -> None:
    assert run('look("desk")') == Outcome("")
    assert run("10 ** 6000") == Outcome("(a number too long to show)")


HOSTILE = {
    "import": "import os\nos.system('touch {file}')",
    "hidden import": 'exec("imp" + "ort os\\nos.system(\'touch {file}\')")',
    "subprocess": '__import__("subprocess").run(["touch", "{file}"])',
    "open": 'print(open("{secret}").read())',
    "eval": "print(eval(\"open('{secret}').read()\"))",
    "write": "exec(\"from pathlib imp\" + \"ort Path\\nPath('{file}').write_text('x')\")",
    "environment": 'exec("imp" + "ort os\\nprint(os.environ)")',
    "dunder escape": "print(().__class__.__bases__[0].__subclasses__())",
    "globals of a function": "print(look.__globals__)",
    "network": 'exec("imp" + "ort socket\\nsocket.create_connection((\'127.0.0.1\', 1))")',
    "infinite loop": "while True:\n    pass",
    "caught infinite loop": "while True:\n    try:\n        while True: pass\n    except: pass",
    "memory bomb": 'x = "a"\nwhile True:\n    x += x',
    "large power": "x = 10 ** (10 ** 9)",
    "huge output": 'while True:\n    print("a" * 1000)',
    "recursion": "def f():\n    return f()\nf()",
    "nested source": "(" * 3999,
    "endless calls": 'while True:\n    look("desk")',
    "endless caught calls": (
        'while True:\n    try:\n        while True: look("desk")\n    except BaseException: pass'
    ),
    "sleep": 'exec("imp" + "ort time\\ntime.sleep(10000)")\nwhile True: pass',
    "exit": "raise SystemExit(3)",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_code_gets_nothing_done_and_ends_in_time(name: str, tmp_path: Path) -> None:
    secret, file = tmp_path / "secret", tmp_path / "made"
    secret.write_text(SECRET)
    functions = Functions()
    begin_s = time.monotonic()
    code = HOSTILE[name].replace("{secret}", str(secret)).replace("{file}", str(file))
    outcome = run(code, functions=functions)
    assert outcome.error
    assert SECRET not in outcome.output + outcome.error
    assert not file.exists()
    assert len(outcome.output) < 300
    assert len(functions.calls) <= CONFIG.code_calls
    assert time.monotonic() - begin_s < 10.0


def test_code_after_a_hostile_one_finds_what_was_set_before() -> None:
    assert run("n = 7", "while True: pass", "n") == Outcome("7")


def test_cancelled_code_leaves_no_process() -> None:
    async def cancelled() -> None:
        task = asyncio.create_task(Sandbox(AgentConfig(code_time_s=60.0)).run("while 1: pass", {}))
        while not _workers():
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        while _workers():
            await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(cancelled(), 30.0))


def _workers() -> list[str]:
    """The running children of this process that are interpreters."""
    found = []
    for tasks in Path("/proc/self/task").iterdir():
        for child in (tasks / "children").read_text().split():
            try:
                status = Path(f"/proc/{child}/status").read_text()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if "monty" in status.splitlines()[0] and "\nState:\tZ" not in status:
                found.append(child)
    return found


def test_interpreter_that_does_not_start_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MONTY_BIN", "/nowhere/monty")
    with pytest.raises(ExtraMissing, match="pydantic-monty"):
        run("1")
