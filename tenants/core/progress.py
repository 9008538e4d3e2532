"""Reports the progress of a command to an operator: a text line for each stage, and one each second within it."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.core.management.base import BaseCommand

EVERY_S = 1.0


@dataclass
class Progress:
    write: Callable[[str], object]
    clock_s: Callable[[], float] = time.monotonic
    _last_s: float = field(default=0.0, init=False)

    def stage(self, text: str) -> None:
        """Report the stage that begins now."""
        self._last_s = self.clock_s()
        self.write(text)

    def within(self, text: str) -> None:
        """Report how far the stage is, unless a text line was written within the last second."""
        if self.clock_s() - self._last_s >= EVERY_S:
            self.stage(text)


SILENT = Progress(lambda _text: None)


def progress_of(command: BaseCommand, options: Mapping[str, Any]) -> Progress:
    """Return a command's progress on standard error, or nothing with `--verbosity=0`. Results have standard output."""
    if options["verbosity"] == 0:
        return SILENT
    return Progress(lambda text: command.stderr.write(text, str))  # `str`: in no color, as this is no error.
