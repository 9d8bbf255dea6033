"""What every test may use: a ROS domain of its own, and a reason where a `models` test skips."""

from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from memory_test_support.domain import own_domain

MODEL_PACKAGES = ("open_clip", "sentence_transformers")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skips `models` tests where the extra is not installed, and says how to get it."""
    missing = [name for name in MODEL_PACKAGES if find_spec(name) is None]
    if not missing:
        return
    skip = pytest.mark.skip(reason=f"{' and '.join(missing)} missing; ./dev setup --models")
    for item in items:
        if item.get_closest_marker("models"):
            item.add_marker(skip)


@pytest.fixture
def ros_domain() -> Iterator[int]:
    """A domain id that no other test holds; nodes made here and in children use it."""
    with own_domain() as domain_id:
        yield domain_id
