"""What every test may use: a ROS domain of its own, and reasons where tests of real models skip."""

import os
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from memory_test_support.domain import own_domain

MODEL_PACKAGES = ("open_clip", "sentence_transformers")
GGUF_VARIABLE = "MEMORY_TEST_GGUF"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skips tests of real models where these are not there, and says how to get them."""
    reasons = {"models": _without_packages(), "language_model": _without_language_model()}
    for marker, reason in reasons.items():
        skip = pytest.mark.skip(reason=reason)
        for item in items:
            if reason and item.get_closest_marker(marker):
                item.add_marker(skip)


def _without_packages() -> str:
    missing = [name for name in MODEL_PACKAGES if find_spec(name) is None]
    return f"{' and '.join(missing)} missing; ./dev setup --models" if missing else ""


def _without_language_model() -> str:
    return "" if os.environ.get(GGUF_VARIABLE) else f"{GGUF_VARIABLE} names no .gguf file"


@pytest.fixture
def ros_domain() -> Iterator[int]:
    """A domain id that no other test holds; nodes made here and in children use it."""
    with own_domain() as domain_id:
        yield domain_id
