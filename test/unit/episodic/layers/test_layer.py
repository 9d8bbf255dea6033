"""A layer records what is new, as often as it may."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from memory_nodes.episodic.layers.config import READY, LayerConfig, LayersConfig
from memory_nodes.episodic.layers.layer import MAX_KEYS, MAX_TEXT_CHARS, Layer
from memory_nodes.errors import ConfigurationError
from memory_nodes.records import NS_PER_S
from memory_nodes.store.observations import LAYERS


def said(text: Any) -> SimpleNamespace:
    return SimpleNamespace(data=text)


def recorded(layer: Layer, *heard: tuple[float, Any]) -> list[str]:
    """The texts recorded of messages that come at seconds."""
    texts = []
    for stamp_s, message in heard:
        stamp_ns = round(stamp_s * NS_PER_S)
        for item in layer.news(message, stamp_ns):
            layer.note(item, stamp_ns)
            texts.append(item.text)
    return texts


def layer(config: LayerConfig, counters: Counter[str] | None = None) -> Layer:
    return Layer("smell", config, counters if counters is not None else Counter())


def test_only_another_text_is_recorded() -> None:
    heard = [(0, said("coffee")), (1, said("coffee")), (2, said("smoke")), (3, said("coffee"))]
    assert recorded(layer(LayerConfig("nose")), *heard) == ["coffee", "smoke", "coffee"]


def test_every_text_is_recorded_where_repeating_is_news() -> None:
    heard = [(0, said("help")), (1, said("help"))]
    assert recorded(layer(LayerConfig("ear", only_changes=False)), *heard) == ["help", "help"]


def test_what_comes_too_soon_is_left_out_and_counted() -> None:
    counters: Counter[str] = Counter()
    config = LayerConfig("nose", min_interval_s=2.0)
    heard = [(0, said("a")), (1, said("b")), (1.5, said("a")), (2, said("c"))]
    assert recorded(layer(config, counters), *heard) == ["a", "c"]
    assert counters == {"layer_smell_limited": 1}


def test_interval_begins_anew_when_time_has_jumped_back() -> None:
    config = LayerConfig("nose", min_interval_s=2.0)
    assert recorded(layer(config), (100, said("a")), (1, said("b"))) == ["a", "b"]


def test_number_must_change_by_so_much_since_the_last_that_was_recorded() -> None:
    """80 to 76 is 4, 80 to 75 is 5; from 75 on 79 is 4 and 70 is 5."""
    config = LayerConfig("level", template="{data} %", min_change=5.0)
    heard = [(s, said(value)) for s, value in enumerate([80, 76, 75, 79, 71, 70])]
    assert recorded(layer(config), *heard) == ["80 %", "75 %", "70 %"]


def test_other_words_are_a_change_whatever_the_number() -> None:
    config = LayerConfig("level", min_change=5.0)
    heard = [(0, said("80 %, full")), (1, said("80 %, charging")), (2, said("81 %, charging"))]
    assert recorded(layer(config), *heard) == ["80 %, full", "80 %, charging"]


def test_text_that_waited_and_was_recorded_meanwhile_is_no_news() -> None:
    nose = layer(LayerConfig("nose"))
    first, second = nose.news(said("a"), 0), nose.news(said("a"), 1)
    assert [item.text for item in (*first, *second)] == ["a", "a"]
    nose.note(first[0], 0)
    assert nose.news(said("a"), 1) == []


def test_text_is_bounded_and_in_one_line() -> None:
    text = recorded(layer(LayerConfig("nose")), (0, said("a\n  b " + "x" * 3 * MAX_TEXT_CHARS)))
    assert (len(text[0]), text[0][:5]) == (MAX_TEXT_CHARS, "a b x")


def test_empty_text_is_nothing() -> None:
    assert recorded(layer(LayerConfig("nose")), (0, said("  \n"))) == []


def test_message_that_cannot_be_read_is_counted() -> None:
    counters: Counter[str] = Counter()
    nose = layer(LayerConfig("nose", template="{names[2]}"), counters)
    assert recorded(nose, (0, SimpleNamespace(names=[]))) == []
    assert counters == {"layer_smell_unusable": 1}


def test_confidence_comes_from_its_field_and_must_be_one() -> None:
    counters: Counter[str] = Counter()
    nose = layer(LayerConfig("nose", confidence="sure"), counters)
    found = [
        item.confidence
        for sure in (0.25, 1.5, "much")
        for item in nose.news(SimpleNamespace(data="coffee", sure=sure), 0)
    ]
    assert (found, counters) == ([0.25], {"layer_smell_unusable": 2})


def test_only_so_many_things_of_a_layer_are_kept_in_mind() -> None:
    """The oldest is forgotten, and would be told again."""
    layer_of_goals = Layer("action", READY["action"], Counter())

    def executing(number: int) -> SimpleNamespace:
        goal_id = SimpleNamespace(uuid=list(number.to_bytes(16, "big")))
        info = SimpleNamespace(goal_id=goal_id, stamp=SimpleNamespace(sec=0, nanosec=0))
        return SimpleNamespace(status_list=[SimpleNamespace(goal_info=info, status=2)])

    heard = [(float(number), executing(number)) for number in range(MAX_KEYS + 1)]
    assert len(recorded(layer_of_goals, *heard)) == MAX_KEYS + 1
    assert len(recorded(layer_of_goals, (5000.0, executing(MAX_KEYS)))) == 0
    assert len(recorded(layer_of_goals, (5000.0, executing(0)))) == 1


@pytest.mark.parametrize(
    "config",
    [
        LayerConfig(""),
        LayerConfig("nose", template=""),
        LayerConfig("nose", template="{data.__class__}"),
    ],
)
def test_layer_that_cannot_be_is_refused(config: LayerConfig) -> None:
    with pytest.raises(ConfigurationError):
        layer(config)


@pytest.mark.parametrize("changed", [{"template": "{smoke}"}, {"confidence": "smoke"}])
def test_field_that_its_messages_lack_is_found_before_any_comes(changed: Any) -> None:
    with pytest.raises(ConfigurationError, match="smoke"):
        layer(replace(LayerConfig("nose"), **changed)).check(said(""))


def test_ready_layers_are_those_that_every_memory_knows() -> None:
    """Detections come with the chunks."""
    assert set(READY) == set(LAYERS) - {"detections"}
    for name, config in READY.items():
        Layer(name, config, Counter())


def test_names_come_once_and_an_empty_one_is_none() -> None:
    assert LayersConfig(layers=("speech", "", "smell", "speech")).names == ("speech", "smell")
    for name in ("Smell", "a b", "../x", "x" * 65, "7"):
        with pytest.raises(ConfigurationError, match="cannot be a layer"):
            LayersConfig(layers=(name,)).names  # noqa: B018
