"""Runs the whole suite on the recorded tour, and says whether it did what it should."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import rclpy
from rclpy.signals import SignalHandlerOptions

from memory_nodes.errors import RobotMemoryError
from memory_test_support.demo import pictures
from memory_test_support.demo.asking import NAMESPACE, START_TIMEOUT_S, User
from memory_test_support.demo.interrupts import Interrupts
from memory_test_support.demo.processes import Child, ChildEndedError, Children
from memory_test_support.demo.progress import Progress
from memory_test_support.demo.report import FRAMES, Driven, Report, table
from memory_test_support.demo.scoring import score_answer, score_drive
from memory_test_support.domain import NoFreeDomainError, own_domain
from memory_test_support.marker_picture import save_markers
from memory_test_support.tour import load_truth

QUESTION_IDS = ("os_01", "os_06", "sd_04", "sd_11", "sr_05", "sr_08", "ap_01", "ap_06")
GOAL_ID = "go_01"
PARAMETERS = Path(__file__).resolve().parents[2] / "demo.yaml"
RESULTS = ("map.png", "markers.png", "answer.png", "report.json")
SPEED = 5.0
STALL_S = 60.0
LAST_POSE_S = 2.0
URL_LINE = "listening on "
EXPECTED_ERRORS = (
    *(ChildEndedError, NoFreeDomainError, RobotMemoryError, RuntimeError, TimeoutError, OSError),
)
STAND_INS = """\
Two parts of this demo are stand-ins. The model server answers from a hand annotation of this very
tour, not from the pixels; the robot is simulated. The six nodes are the real ones: give them the
base_url of a real model server, a camera and Nav2, and they run on a robot.
"""


class Demo:
    """The steps of the demo; what each finds goes into the report."""

    def __init__(
        self, out: Path, report: Report, progress: Progress, interrupts: Interrupts
    ) -> None:
        self._out = out
        self._memory_dir = out / "memory"
        self._report = report
        self._progress = progress
        self._interrupts = interrupts
        self._truth = load_truth()

    def run(self) -> None:
        """Everything from the first process to the last picture."""
        _clear(self._out)
        with own_domain() as domain_id, Children(self._out / "logs") as children:
            context = rclpy.Context()
            rclpy.init(
                context=context, domain_id=domain_id, signal_handler_options=SignalHandlerOptions.NO
            )

            def watch() -> None:
                self._interrupts.check()
                children.require_running()

            user = User(context, watch)
            try:
                self._start(children, user)
                self._remember(children, user)
                best = self._ask(user)
                self._drive(user)
            finally:
                user.close()
                rclpy.shutdown(context=context)
        if best is not None:
            pictures.save_answer(self._memory_dir, best, self._out / "answer.png")
            save_markers(user.scene, user.trail.poses, self._out / "markers.png")

    def _start(self, children: Children, user: User) -> None:
        self._progress.show("starting the suite, a model server and a simulated base")
        server = children.start("model_server", "--port", "0")
        base = ("--ros-args", "-p", "use_sim_time:=true")
        children.start("simulated_base", *base)
        user.until(lambda: _url_of(server) != "", "the model server", START_TIMEOUT_S)
        children.start(
            "memory",
            *("--ros-args", "-r", f"__ns:=/{NAMESPACE}", "--params-file", str(PARAMETERS)),
            *("-p", f"memory_dir:={self._memory_dir}", "-p", f"base_url:={_url_of(server)}"),
        )
        user.await_suite()

    def _remember(self, children: Children, user: User) -> None:
        """Plays the tour; over when every frame is stored."""
        player = ("--ros-args", "-r", f"__ns:=/{NAMESPACE}", "-p", f"speed:={SPEED}")
        children.start("tour_player", *player)

        def is_complete() -> bool:
            stored = user.stored
            self._report.keyframes, self._report.objects = stored.keyframes, stored.objects
            self._report.chunks = stored.last_chunk_id
            self._progress.show(
                f"remembering the walk: {stored.keyframes} of {FRAMES} keyframes, "
                f"{stored.objects} objects"
            )
            return bool(stored.keyframes >= FRAMES)

        user.until(is_complete, f"{FRAMES} keyframes", STALL_S, lambda: user.stored.sequence)

    def _ask(self, user: User) -> Any:
        """Asks all questions; gives the first answer that a picture shows, or None."""
        answers = []
        for question_id in QUESTION_IDS:
            question = self._truth.questions[question_id]
            self._progress.show(f"asking: {question.text}")
            answers.append(user.ask(question.text))
            self._report.questions.append(score_answer(question, answers[-1], self._truth))
        return next((answer for answer in answers if answer.keyframes), None)

    def _drive(self, user: User) -> None:
        query = self._truth.questions[GOAL_ID].text
        self._progress.show(f"driving: {query}")
        result = user.drive(query)
        self._progress.show(f"the robot says: {result.message}")

        def driven() -> Driven:
            return score_drive(result, user.candidate, user.base_pose)

        with suppress(TimeoutError):  # the base's last pose may come after the result
            user.until(lambda: driven().is_exact, "the base's last pose", LAST_POSE_S)
        self._report.goal = driven()
        if result.answer.keyframes:
            map_path = self._out / "map.png"
            pictures.save_map_of(self._memory_dir, result.answer, user.candidate, map_path)


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0 when everything came out as it should."""
    parser = argparse.ArgumentParser(prog="./dev demo", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("demo_out"), help="folder for the results")
    out = parser.parse_args(arguments).out.resolve()
    interrupts = Interrupts()
    setup_s, started_s = float(os.environ.get("ROBOT_MEMORY_SETUP_S", "0")), time.monotonic()
    report, progress = Report(seconds_setup=setup_s), Progress(sys.stdout)
    try:
        Demo(out, report, progress, interrupts).run()
    except EXPECTED_ERRORS as error:
        report.problem = str(error)
    except KeyboardInterrupt:
        report.problem = "interrupted"
    progress.end()
    report.seconds_total = setup_s + time.monotonic() - started_s
    try:
        report.save(out / "report.json")
    except OSError as error:
        report.problem = report.problem or f"the report cannot be written: {error}"
    _print(report, out)
    return 1 if report.failures() else 0


def _clear(out: Path) -> None:
    """An empty place for the results: what an earlier demo left must not pass for this one's."""
    out.mkdir(parents=True, exist_ok=True)
    for name in RESULTS:
        (out / name).unlink(missing_ok=True)
    shutil.rmtree(out / "memory", ignore_errors=True)


def _print(report: Report, out: Path) -> None:
    """The findings for a person, the verdict on the last line."""
    if "\n" in report.problem:
        print(f"\n{report.problem}\n")
    if report.questions:
        print(f"\n{table(report.questions)}\n")
    goal = report.goal
    if goal.distance_to_keyframe_pose_m is not None and goal.heading_error_rad is not None:
        print(
            f"goal: {goal.outcome}, {1000 * goal.distance_to_keyframe_pose_m:.3f} mm and "
            f"{goal.heading_error_rad:.6f} rad from the keyframe's pose"
        )
    if goal.distance_to_tour_pose_m is not None and goal.tour_heading_error_rad is not None:
        print(
            f"      {1000 * goal.distance_to_tour_pose_m:.3f} mm and "
            f"{goal.tour_heading_error_rad:.6f} rad from where the recording has it\n"
        )
    print(STAND_INS)
    print(f"{report.seconds_total:.0f} s, {report.seconds_setup:.0f} s of them set-up; see {out}")
    print(report.verdict())


def _url_of(server: Child) -> str:
    """The address that the server has printed; empty before that."""
    lines = [line for line in server.said() if line.startswith(URL_LINE)]
    return lines[0].removeprefix(URL_LINE).strip() if lines else ""
