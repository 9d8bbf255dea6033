"""Which topics of a recording are taken."""

from __future__ import annotations

import pytest

from memory_nodes.errors import InputError
from memory_nodes.replay.topics import Topics

RAW, COMPRESSED = "sensor_msgs/msg/Image", "sensor_msgs/msg/CompressedImage"
INFO, TF = "sensor_msgs/msg/CameraInfo", "tf2_msgs/msg/TFMessage"


def test_compressed_image_is_taken_before_the_raw_one_and_no_depth() -> None:
    types = {
        "/cam/image_raw": RAW,
        "/cam/image_raw/compressed": COMPRESSED,
        "/cam/depth/image": RAW,
        "/cam/camera_info": INFO,
        "/other/camera_info": INFO,
        "/tf": TF,
    }
    found = Topics().found_in(types)
    assert found == Topics("/cam/image_raw/compressed", "/cam/camera_info", "")
    assert found.in_time == ("/cam/image_raw/compressed", "/cam/camera_info", "/tf")


def test_only_calibration_is_taken_wherever_it_is() -> None:
    types = {"/front/image": RAW, "/info": INFO, "/tf": TF}
    assert Topics().found_in(types).camera_info == "/info"


def test_one_of_several_cameras_must_be_named() -> None:
    types = {"/left/image": RAW, "/right/image": RAW, "/tf": TF}
    with pytest.raises(InputError, match=r"2 image topics \(/left/image, /right/image\)"):
        Topics().found_in(types)
    assert Topics(image="/left/image").found_in(types).image == "/left/image"


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        (Topics(image="/nothing"), "no topic '/nothing'"),
        (Topics(image="/info"), "/info is of sensor_msgs/msg/CameraInfo"),
        (Topics(depth="/info"), "/info is of sensor_msgs/msg/CameraInfo"),
        (Topics(camera_info="/image"), "/image is of sensor_msgs/msg/Image"),
    ],
)
def test_topic_that_cannot_be_used_is_named(wanted: Topics, told: str) -> None:
    types = {"/image": RAW, "/info": INFO, "/tf": TF}
    with pytest.raises(InputError, match=told):
        wanted.found_in(types)
