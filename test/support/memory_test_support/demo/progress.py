"""One line that says what goes on."""

from __future__ import annotations

import shutil
from typing import TextIO


class Progress:
    """Rewrites its line on a terminal; elsewhere it prints a line when the step changes."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_terminal = stream.isatty()
        self._text = ""

    def show(self, text: str) -> None:
        if text == self._text:
            return
        if self._is_terminal:
            width = shutil.get_terminal_size().columns - 1
            same_step = text.partition(":")[0] == self._text.partition(":")[0]
            start = "\r" if same_step or not self._text else "\n"
            print(f"{start}{text[:width]:<{width}}", end="", file=self._stream, flush=True)
        else:
            print(text, file=self._stream, flush=True)
        self._text = text

    def end(self) -> None:
        """Leaves the line as it is."""
        if self._is_terminal and self._text:
            print(file=self._stream, flush=True)
