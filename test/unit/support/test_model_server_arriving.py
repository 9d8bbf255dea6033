"""What the stand-in says of a look on arrival, held against the annotation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PIL import Image

from memory_test_support.model_server.arriving import ArrivalChecker
from memory_test_support.model_server.errors import BadRequestError
from memory_test_support.model_server.frames import FrameRecognizer
from memory_test_support.model_server.messages import SentImage
from memory_test_support.tour import load_tour, load_truth

BACKPACK = "backpack; fabric backpack, red and grey; color dark red, material fabric"


@pytest.fixture(scope="module")
def checker() -> ArrivalChecker:
    return ArrivalChecker(load_truth(), FrameRecognizer(load_tour()))


def _frames_with(instance: str) -> Iterator[tuple[int, bool]]:
    for index, views in enumerate(load_truth().views):
        yield index, any(view.instance_id == instance for view in views)


def _picture(index: int) -> SentImage:
    with Image.open(load_tour().frames[index].image_path) as image:
        return SentImage(0, image.copy())


def test_thing_is_there_exactly_where_the_annotation_shows_it(checker: ArrivalChecker) -> None:
    said = set()
    for index, is_shown in _frames_with("backpack_1"):
        reply = checker.reply({"thing": BACKPACK}, [_picture(index)])
        assert reply["present"] == ("yes" if is_shown else "no")
        said.add(reply["present"])
    assert said == {"yes", "no"}


def test_name_that_a_person_gave_does_not_matter(checker: ArrivalChecker) -> None:
    shown = next(index for index, is_shown in _frames_with("backpack_1") if is_shown)
    reply = checker.reply({"thing": f"Anna's bag; {BACKPACK}"}, [_picture(shown)])
    assert reply["present"] == "yes"


@pytest.mark.parametrize(
    ("thing", "picture"),
    [("piano; black grand piano", _picture(0)), (BACKPACK, SentImage(0, Image.new("RGB", (9, 9))))],
    ids=["unknown thing", "unknown picture"],
)
def test_what_it_does_not_know_is_unsure(
    thing: str, picture: SentImage, checker: ArrivalChecker
) -> None:
    assert checker.reply({"thing": thing}, [picture])["present"] == "unsure"


def test_look_without_a_thing_or_a_picture_is_refused(checker: ArrivalChecker) -> None:
    for payload, pictures in (({}, [_picture(0)]), ({"thing": BACKPACK}, [])):
        with pytest.raises(BadRequestError, match="one image"):
            checker.reply(payload, pictures)
