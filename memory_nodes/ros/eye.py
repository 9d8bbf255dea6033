"""A look at what is before the robot now."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rclpy.task import Future
from sensor_msgs.msg import CompressedImage, Image

from memory_nodes.errors import ImageError, InputError, ModelError
from memory_nodes.models.ports import ChatModel
from memory_nodes.navigation.arrival import (
    ArrivalConfig,
    Presence,
    Sighted,
    arrival_prompt,
    read_arrival,
)
from memory_nodes.perception.images import keep_jpeg, to_jpeg
from memory_nodes.perception.messages import image_of
from memory_nodes.records import NS_PER_S
from memory_nodes.ros import endpoints
from memory_nodes.ros.camera import AnyImage, CameraConfig
from memory_nodes.ros.conversions import time_from_msg
from memory_nodes.ros.memory_node import MemoryNode
from memory_nodes.ros.nav2.stop import Stop

JPEG_QUALITY = 90
MAX_AHEAD_NS = NS_PER_S
"""A picture that is further ahead of the node's clock has its stamp from another one."""


class Eye:
    """Takes a picture, and has the model look at it."""

    def __init__(
        self,
        node: MemoryNode,
        camera: CameraConfig,
        config: ArrivalConfig,
        model: ChatModel | None,
    ) -> None:
        self._node = node
        self._kind: type[AnyImage] = (
            CompressedImage if camera.image_transport == "compressed" else Image
        )
        self._config = config
        self.model = model

    async def look(self, looks: str, stop: Stop) -> Sighted:
        """Whether a thing of some looks is there; UNSURE with the reason where nobody can tell."""
        if self.model is None:
            return _unsure("I have no model that looks")
        message = await self._picture(self._node.now_ns(), stop)
        if message is None:
            return _unsure("no picture came")
        try:
            jpeg = self._jpeg(message)
        except ImageError as error:
            return _unsure(f"the picture cannot be read: {error}")
        seen = await self._ask(self.model, looks, jpeg, stop)
        return replace(seen, stamp_ns=time_from_msg(message.header.stamp))

    async def _picture(self, since_ns: int, stop: Stop) -> AnyImage | None:
        """The first one that was taken since a stamp."""
        node = self._node
        taken: Future[AnyImage] = Future(executor=node.executor)

        def on_image(message: AnyImage) -> None:
            stamp_ns, until_ns = time_from_msg(message.header.stamp), node.now_ns() + MAX_AHEAD_NS
            if not taken.done() and since_ns <= stamp_ns <= until_ns:
                taken.set_result(message)

        subscription = node.create_subscription(
            self._kind, endpoints.IMAGE, on_image, endpoints.SENSOR
        )
        try:
            await node.within(self._config.picture_timeout_s, taken, stop.asked)
        finally:
            node.destroy_subscription(subscription)
        return taken.result() if taken.done() else None

    def _jpeg(self, message: AnyImage) -> bytes:
        image, encoded = image_of(message)
        max_side_px = self._config.picture_max_side_px
        jpeg = keep_jpeg(encoded, image, max_side_px) if encoded is not None else None
        return (jpeg or to_jpeg(image, max_side_px, JPEG_QUALITY)).data

    async def _ask(self, model: ChatModel, looks: str, jpeg: bytes, stop: Stop) -> Sighted:
        node, timeout_s = self._node, self._config.verify_timeout_s
        asking = node.background.start(model.complete(arrival_prompt(looks, jpeg), timeout_s))
        done: Future[Any] = Future(executor=node.executor)
        asking.add_done_callback(lambda _: node.in_executor(lambda: done.set_result(None)))
        if not await node.within(timeout_s + 1.0, done, stop.asked) or not done.done():
            asking.cancel()
            return _unsure("the model does not answer")
        try:
            return read_arrival(asking.result())
        except (ModelError, InputError) as error:
            node.get_logger().warning(f"the arrival was not verified: {error}")
            return _unsure("the model did not say")


def _unsure(reason: str) -> Sighted:
    return Sighted(Presence.UNSURE, reason)
