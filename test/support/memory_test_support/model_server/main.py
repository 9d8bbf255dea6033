"""Command line of the stand-in model server."""

from __future__ import annotations

import argparse
import signal
import sys
import threading

from memory_test_support.model_server.options import MODEL_NAME, ServerOptions
from memory_test_support.model_server.server import ModelServer

DESCRIPTION = f"""A stand-in for an OpenAI-compatible model server: it answers detection and
association prompts from the hand annotation of the recorded tour and questions by a plain
extractive rule. From a picture it takes only which frame of the tour that is. Which object is the
same as which, it takes from the truth, by the stamp and the box of each view, not by pixels. It
calls itself {MODEL_NAME}. The first line on stdout is its address."""


def parse_options(arguments: list[str] | None = None) -> ServerOptions:
    """Options from the command line; defaults are those of ServerOptions."""
    default = ServerOptions()
    parser = argparse.ArgumentParser(prog="model_server", description=DESCRIPTION)
    parser.add_argument("--host", default=default.host)
    parser.add_argument("--port", type=int, default=default.port, help="0: any free port")
    parser.add_argument("--seed", type=int, default=default.seed, help="of all noise")
    _add_rate(parser, "--miss-rate", default.miss_rate, "share of views not reported")
    _add_rate(parser, "--box-jitter", default.box_jitter, "largest edge shift / box size")
    _add_rate(parser, "--wrong-color-rate", default.wrong_color_rate, "share of wrong colours")
    _add_rate(
        parser,
        "--association-error-rate",
        default.association_error_rate,
        "share of identities lost or swapped",
    )
    parser.add_argument("--latency-s", type=float, default=default.latency_s)
    parser.add_argument(
        "--bbox-format", choices=["xyxy_pixels", "xyxy_norm1000"], default=default.bbox_format
    )
    parser.add_argument(
        "--stamp-offset-s",
        type=float,
        default=default.stamp_offset_s,
        help="stamps of the views minus stamps of the tour",
    )
    return ServerOptions(**vars(parser.parse_args(arguments)))


def _add_rate(parser: argparse.ArgumentParser, name: str, default: float, meaning: str) -> None:
    parser.add_argument(name, type=_rate, default=default, help=f"{meaning}, 0 to 1")


def _rate(text: str) -> float:
    value = float(text)
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
    return value


def main(arguments: list[str] | None = None) -> int:
    """Serves until SIGINT or SIGTERM."""
    options = parse_options(arguments)
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    try:
        server = ModelServer(options)
    except OSError as error:
        print(f"cannot listen on {options.host}:{options.port}: {error}", file=sys.stderr)
        return 1
    with server:
        print(f"listening on {server.base_url}", flush=True)
        ended.wait()
    return 0
