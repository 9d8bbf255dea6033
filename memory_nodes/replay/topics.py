"""Which topics of a recording a memory is made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memory_nodes.errors import InputError

IMAGE_TYPES = ("sensor_msgs/msg/CompressedImage", "sensor_msgs/msg/Image")
CAMERA_INFO_TYPE = "sensor_msgs/msg/CameraInfo"
TRANSFORM_TYPE = "tf2_msgs/msg/TFMessage"
TRANSFORMS, STATIC_TRANSFORMS = "/tf", "/tf_static"


@dataclass(frozen=True)
class Topics:
    """Empty = find it; of depth = there is none."""

    image: str = ""
    camera_info: str = ""
    depth: str = ""

    def found_in(self, types: Mapping[str, str]) -> Topics:
        """With the image and its calibration found among topics and their types.

        The calibration stays empty where there is none. Raises InputError for a topic that is not
        there or of another type, or where several may be meant.
        """
        image = self.image or _only_image(types, self.depth)
        _check(image, types, IMAGE_TYPES)
        camera_info = self.camera_info or _camera_info_of(image, types)
        if camera_info:
            _check(camera_info, types, (CAMERA_INFO_TYPE,))
        if self.depth:
            _check(self.depth, types, IMAGE_TYPES[1:])
        _check(TRANSFORMS, types, (TRANSFORM_TYPE,))
        return Topics(image, camera_info, self.depth)

    @property
    def in_time(self) -> tuple[str, ...]:
        """Those to be heard in the order of their recording."""
        return tuple(filter(None, (self.image, self.camera_info, self.depth, TRANSFORMS)))


def _only_image(types: Mapping[str, str], depth: str) -> str:
    """The only compressed image, or the only raw one."""
    several: list[str] = []
    for kind in IMAGE_TYPES:
        found = [
            topic
            for topic in _of_type(types, kind)
            if topic != depth and "depth" not in topic.lower()
        ]
        if len(found) == 1:
            return found[0]
        several += found
    raise InputError(
        f"the recording has {len(several)} image topics ({', '.join(several) or 'none'}): "
        "name the one of the camera"
    )


def _camera_info_of(image: str, types: Mapping[str, str]) -> str:
    """Beside the image: /camera/camera_info of /camera/image_raw/compressed; or the only one."""
    found = _of_type(types, CAMERA_INFO_TYPE)
    above = image
    while above:
        above = above.rpartition("/")[0]
        if f"{above}/camera_info" in found:
            return f"{above}/camera_info"
    return found[0] if len(found) == 1 else ""


def _of_type(types: Mapping[str, str], kind: str) -> list[str]:
    return sorted(topic for topic, of_kind in types.items() if of_kind == kind)


def _check(topic: str, types: Mapping[str, str], kinds: Iterable[str]) -> None:
    if topic not in types:
        raise InputError(
            f"the recording has no topic {topic!r}; there are {', '.join(sorted(types))}"
        )
    if types[topic] not in kinds:
        raise InputError(f"{topic} is of {types[topic]}, give a topic of {' or '.join(kinds)}")
