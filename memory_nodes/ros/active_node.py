"""A node whose topics, timers and services live while it is active; guarded, and never blocked."""

from __future__ import annotations

import asyncio
import inspect
import traceback
from collections.abc import Awaitable, Callable
from concurrent.futures import Future as WorkFuture
from copy import copy
from functools import partial
from threading import Event
from typing import Any, TypeVar

from rclpy.action import ActionServer
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType, JumpThreshold
from rclpy.duration import Duration
from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.lifecycle import LifecycleNode
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from rclpy.qos_overriding_options import QoSOverridingOptions
from rclpy.task import Future
from rclpy.timer import Timer

from memory_nodes.errors import RobotMemoryError
from memory_nodes.models.background import BackgroundLoop
from memory_nodes.ros.endpoints import SERVICE
from memory_nodes.ros.health import Health

Result = TypeVar("Result")
Callback = TypeVar("Callback", bound=Callable[..., Any])

AFTER_ERROR_S = 1.0


class ActiveNode(LifecycleNode):
    """What is made through this class is gone again after ``stop``."""

    background: BackgroundLoop

    def __init__(self, name: str, **options: Any) -> None:
        # First of all: a node whose constructor is interrupted is destroyed too.
        self._undo: list[Callable[[], object]] = []
        self._periodic: dict[float, list[Callable[[], None]]] = {}
        super().__init__(name, **options)
        self.health = Health(self.get_logger())
        self.counters, self.trouble = self.health.counters, self.health.trouble
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        # Coroutines that wait must not keep others of their node from running.
        self._side_by_side = ReentrantCallbackGroup()

    def stop(self) -> None:
        """Undoes what start made: quick, and whatever fails, all of it."""
        while self._undo:
            self._guarded(self._undo.pop())()

    # endpoints

    def announce(self, kind: type[Any], topic: str, qos: QoSProfile) -> Publisher[Any]:
        # Without rclpy's own events, which cost time in each turn: the other side tells as well.
        quiet = PublisherEventCallbacks(use_default_callbacks=False)
        publisher = self.create_publisher(kind, topic, qos, event_callbacks=quiet)
        self.on_stop(lambda: self.destroy_publisher(publisher))
        return publisher

    def listen(
        self, kind: type[Any], topic: str, callback: Callable[[Any], None], qos: QoSProfile
    ) -> None:
        def mismatched(event: Any) -> None:
            self.trouble(
                f"{topic}: a publisher's quality of service does not match (policy "
                f"{event.last_policy_kind}); change it, or qos_overrides of this subscription",
                topic,
                is_error=True,
            )

        def heard(message: Any) -> None:
            self.trouble(None, topic)
            callback(message)

        subscription = self.create_subscription(
            kind,
            topic,
            self._guarded(heard),
            copy(qos),  # rclpy writes what is overridden into it, and it is everybody's
            event_callbacks=SubscriptionEventCallbacks(
                incompatible_qos=mismatched, use_default_callbacks=False
            ),
            qos_overriding_options=QoSOverridingOptions.with_default_policies(),
        )
        self.on_stop(lambda: self.destroy_subscription(subscription))

    def every(self, period_s: float, callback: Callable[[], None]) -> None:
        """Calls back in wall time: simulated time may stand still, waiting must not.

        What has the same period shares a timer: each turn of one costs time for the whole node.
        """
        callbacks = self._periodic.get(period_s)
        if callbacks is None:
            callbacks = self._periodic[period_s] = []
            self._timer(period_s, partial(_call_all, callbacks))
            self.on_stop(lambda: self._periodic.pop(period_s))
        callbacks.append(self._guarded(callback))

    def on_demand(self, period_s: float, step: Callable[[], bool]) -> Timer:
        """A timer that rests until it is woken, and goes on for as long as ``step`` says that there
        is more to do.
        """

        def turn() -> None:
            if not step():
                timer.cancel()

        timer = self._timer(period_s, turn)
        timer.cancel()
        return timer

    def _timer(self, period_s: float, callback: Callable[[], None]) -> Timer:
        timer = self.create_timer(period_s, self._guarded(callback), clock=self._steady)
        self.on_stop(lambda: self.destroy_timer(timer))
        return timer

    def repeat(self, step: Callable[[], Awaitable[float]]) -> None:
        """Repeats a step beside the node; each gives the seconds to wait before the next."""

        stopped = Event()

        async def repeating() -> None:
            while not stopped.is_set():
                try:
                    wait_s = await step()
                except Exception as error:  # noqa: BLE001 the one place that keeps a node alive
                    self.in_executor(partial(self.survived, error))
                    wait_s = AFTER_ERROR_S
                await asyncio.sleep(wait_s)

        self.on_stop(self.background.start(repeating()).cancel)
        self.on_stop(stopped.set)

    def serve(
        self, kind: type[Any], name: str, answer: Callable[[Any, Any], Awaitable[None]]
    ) -> None:
        """A service: ``answer`` fills the response; what it raises becomes success = false."""

        async def respond(request: Any, response: Any) -> Any:
            response.success = True
            try:
                await answer(request, response)
            except RobotMemoryError as error:
                response.success, response.message = False, str(error)
            except Exception as error:  # noqa: BLE001 the one place that keeps a node alive
                self.survived(error)
                response.success, response.message = False, f"internal error: {error!r}"
            return response

        service = self.create_service(
            kind, name, respond, qos_profile=SERVICE, callback_group=self._side_by_side
        )
        self._answer_only_while_active(service)
        self.on_stop(lambda: self.destroy_service(service))

    def _answer_only_while_active(self, service: Any) -> None:
        """An answer that comes after deactivation is dropped; rclpy would end the process."""
        send = service.send_response

        def send_if_there(*arguments: Any) -> None:
            try:
                send(*arguments)
            except rclpy_implementation.InvalidHandle:
                self.counters["answers_too_late"] += 1

        service.send_response = send_if_there

    def act(self, kind: type[Any], name: str, execute: Any, **callbacks: Any) -> None:
        """An action server."""
        server = ActionServer(
            self, kind, name, execute, callback_group=self._side_by_side, **callbacks
        )
        self.on_stop(server.destroy)

    @property
    def is_started(self) -> bool:
        """Whether there is what ``start`` makes."""
        return bool(self._undo)

    @property
    def side_by_side(self) -> ReentrantCallbackGroup:
        return self._side_by_side

    def on_jump_back(self, callback: Callable[[], None]) -> None:
        """Calls back while active whenever time jumps back, as that of a bag that loops does."""
        threshold = JumpThreshold(min_forward=None, min_backward=Duration(nanoseconds=-1))
        handle = self.get_clock().create_jump_callback(
            threshold, post_callback=lambda _: callback()
        )
        self.on_stop(handle.unregister)

    def on_stop(self, undo: Callable[[], object]) -> None:
        """Something to undo at deactivation; the last comes first."""
        self._undo.append(undo)

    # waiting without blocking

    async def result_of(self, work: WorkFuture[Result]) -> Result:
        """Awaits work of another thread from a callback of this node."""
        done: Future[None] = Future(executor=self.executor)
        work.add_done_callback(lambda _: self.in_executor(lambda: done.set_result(None)))
        await done
        return work.result()

    async def within(self, timeout_s: float, *futures: Future[Any]) -> bool:
        """Whether one of some futures is done within a wall time."""
        over: Future[None] = Future(executor=self.executor)

        def finish(_: object = None) -> None:
            if not over.done():
                over.set_result(None)

        timer = self.create_timer(
            timeout_s, finish, clock=self._steady, callback_group=self._side_by_side
        )
        for future in futures:
            future.add_done_callback(finish)
        try:
            await over
        finally:
            self.destroy_timer(timer)
        return any(future.done() for future in futures)

    def in_executor(self, callback: Callable[[], None]) -> None:
        """Runs a callback among those of this node, from any thread."""
        executor = self.executor
        if executor is not None:
            executor.create_task(self._guarded(callback))

    # errors and time

    def now_ns(self) -> int:
        return int(self.get_clock().now().nanoseconds)

    def _guarded(self, callback: Callback) -> Callback:
        """A callback whose errors are logged and counted instead of ending the node."""
        assert not inspect.iscoroutinefunction(callback)

        def run(*arguments: Any) -> None:
            try:
                callback(*arguments)
            except asyncio.CancelledError:
                raise
            except Exception as error:  # noqa: BLE001 the one place that keeps a node alive
                self.survived(error)

        return run  # type: ignore[return-value]

    def survived(self, error: Exception) -> None:
        """Logs and counts an error that must not end the node."""
        self.counters["errors"] += 1
        if isinstance(error, RobotMemoryError):
            self.get_logger().error(str(error), throttle_duration_sec=5.0)
        else:
            text = "".join(traceback.format_exception(error))
            self.get_logger().error(f"unexpected: {text}", throttle_duration_sec=5.0)


def wake(timer: Timer) -> None:
    """Has a timer that rests begin; one that runs already goes on as it does."""
    if timer.is_canceled():
        timer.reset()


def _call_all(callbacks: list[Callable[[], None]]) -> None:
    for callback in tuple(callbacks):
        callback()
