"""Runs code that a model wrote, where it can do nothing but call the functions it is given.

The interpreter is pydantic-monty's: it knows no files, processes, network or environment, and
runs in a process of its own, which is ended after each piece of code.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, TypeAlias

from memory_nodes.answering.agents.config import AgentConfig
from memory_nodes.answering.agents.hints import hint_for
from memory_nodes.errors import ExtraMissing, InputError, ModelError

Function: TypeAlias = Callable[..., Awaitable[object]]

END: Final = object()
"""What a function gives back to end the code that called it."""
MAX_CODE_CHARS = 4000
MAX_RECURSION = 100
PROCESS_TIME_S = 5.0
"""To start, load, answer and end; the process is killed after it and the computing time."""
PRINTED_BYTES = 200_000
"""With more the code is stopped; of less the first part is shown."""
_MB = 2**20
_IMPORT = re.compile(r"\bimport\b")
_MAX_BITS = 256
"""Of a number that is shown."""


@dataclass(frozen=True)
class Outcome:
    """What a piece of code printed, and how it failed."""

    output: str
    error: str = ""
    is_ended: bool = False
    """A function ended it."""


class Sandbox:
    """Pieces of code, one after the other; what one has set the next ones find.

    Only what runs through without an error is kept.
    """

    def __init__(self, config: AgentConfig) -> None:
        self._config = config
        self._state: bytes | None = None

    async def run(self, code: str, functions: Mapping[str, Function]) -> Outcome:
        """Never raises for what the code does; ExtraMissing where the interpreter is missing."""
        if len(code) > MAX_CODE_CHARS:
            return Outcome("", f"{len(code)} characters of code, the limit is {MAX_CODE_CHARS}")
        if _IMPORT.search(code):
            # Of no harm, since the interpreter's few modules reach nothing; but of no use either.
            return Outcome("", hint_for("import", functions))
        monty = _installed()
        printed = monty.CollectString(max_bytes=PRINTED_BYTES)
        try:
            value, is_ended = await self._run(monty, code, functions, printed)
        except monty.MontyError as error:
            return Outcome(self._shown(printed.output), _described(error, functions))
        return Outcome(self._shown(printed.output + _echo(value)), is_ended=is_ended)

    async def _run(
        self, monty: Any, code: str, functions: Mapping[str, Function], printed: Any
    ) -> tuple[Any, bool]:
        """The value of the last line, and whether a function ended the code."""
        options = {"limits": self._limits(), "os_policy": _POLICY}
        time_s = self._config.code_time_s + PROCESS_TIME_S
        async with _process(monty, time_s) as pool, pool.checkout(**options) as session:
            if self._state is not None:
                await session.load_session(self._state)
            at = await session.feed_start(
                code, external_lookup=dict(functions), print_callback=printed
            )
            while not isinstance(at, monty.MontyComplete):
                if not isinstance(at, monty.AsyncFunctionSnapshot):
                    at = await at.resume_auto()
                elif at.is_os_function:
                    at = await at.resume_not_handled()
                elif at.function_name not in functions:
                    message = f"name {at.function_name[:80]!r} is not defined"
                    at = await at.resume({"exc_type": "NameError", "message": message})
                else:
                    answer = await _called(functions[at.function_name], at.args, at.kwargs)
                    if answer is END:
                        return None, True
                    at = await at.resume(answer)
            self._state = await session.dump()
            return at.output, False

    def _limits(self) -> dict[str, Any]:
        config = self._config
        return {
            "max_feed_duration_secs": config.code_time_s,
            "max_memory": config.code_memory_mb * _MB,
            "max_recursion_depth": MAX_RECURSION,
            "max_suspensions": config.code_calls,
            "max_total_sleep_secs": 0.0,
        }

    def _shown(self, output: str) -> str:
        limit = self._config.code_output_chars
        if len(output) <= limit:
            return output.rstrip()
        return f"{output[:limit]}\n(... {len(output) - limit} more characters)"


_POLICY: Final = {"sleep": "zero", "random_start": {"seed": 0}, "datetime": "call_host"}
"""No clock and no chance, so that a run can be done again; nobody sleeps."""


@asynccontextmanager
async def _process(monty: Any, time_s: float) -> AsyncIterator[Any]:
    """An interpreter, ended with the block or after so long."""
    pool = monty.AsyncMonty(max_processes=1, request_timeout=time_s)
    try:
        await pool.__aenter__()
    except RuntimeError as error:
        raise ExtraMissing(f"the interpreter of pydantic-monty does not start: {error}") from error
    try:
        yield pool
    finally:
        await pool.__aexit__(None, None, None)


def _echo(value: object) -> str:
    """The value of the last line, as in a Python console; but nodes, which the tree shows."""
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        return "(a number too long to show)"
    return str(value) if isinstance(value, str | int | float) else ""


async def _called(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result as the interpreter takes it, or END."""
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except TypeError as error:
        return {"exc_type": "TypeError", "message": f"{error}: {_usage(function)}"}
    try:
        value = await function(*args, **kwargs)
    except InputError as error:
        return {"exc_type": "ValueError", "message": str(error)}
    except ModelError as error:
        return {"exc_type": "RuntimeError", "message": str(error)}
    return END if value is END else {"return_value": value}


def _usage(function: Function) -> str:
    named = ", ".join(inspect.signature(function).parameters)
    return f"call it as {getattr(function, '__name__', 'it')}({named})"


def _described(error: Any, functions: Mapping[str, Function]) -> str:
    """Where and what, and what to do about it."""
    text = error.display("type-msg") if hasattr(error, "display") else str(error)
    frames = error.traceback() if hasattr(error, "traceback") else []
    line = f"line {frames[-1].line}: " if frames else ""
    hint = hint_for(text, functions)
    return f"{line}{text[:500]}" + (f"\n{hint}" if hint else "")


def _installed() -> Any:
    try:
        return import_module("pydantic_monty")
    except ImportError as error:
        raise ExtraMissing(
            "the history console needs pydantic-monty: pip install 'robot-memory[agents]'"
        ) from error
