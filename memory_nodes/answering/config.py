"""How questions are answered."""

from __future__ import annotations

from dataclasses import dataclass

from memory_nodes.parameters import parameter


@dataclass(frozen=True)
class AnswererConfig:
    """How questions are answered."""

    max_keyframes: int = parameter(5, "keyframes in an answer", low=1, high=50, is_dynamic=True)
    max_context_objects: int = parameter(60, "objects in the prompt", low=1, high=500)
    max_prompt_tokens: int = parameter(
        4000,
        "size of the answer prompt, estimated; what has no room is left out, and counted",
        low=1000,
        high=1_000_000,
        is_dynamic=True,
    )
    max_full_prompt_tokens: int = parameter(
        30_000,
        "the same in mode full, where nothing is left out: a larger memory is asked by graph",
        low=1000,
        high=1_000_000,
    )
    answer_temperature: float = parameter(
        0.7, "of the answering model", low=0.0, high=2.0, is_dynamic=True
    )
    answer_timeout_s: float = parameter(
        20.0,
        "time for one answer of the model; at its end it comes without the model",
        unit="s",
        low=0.1,
        high=600.0,
        is_dynamic=True,
    )
    question_timeout_s: float = parameter(
        30.0,
        "time for a question with all that it takes; at its end the best answer so far is given",
        unit="s",
        low=0.1,
        high=3600.0,
        is_dynamic=True,
    )
