"""Progress on stderr: bars at a terminal, plain text lines otherwise."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from maas_client.archives import Archive
from maas_client.resources import Job
from maas_client.uploads import Progress


class Display(Protocol):
    def upload(self, name: str) -> Progress: ...

    def entries(self, name: str, archive: Archive) -> None: ...

    def submitted(self, name: str, job: Job) -> None: ...

    def pages(self, name: str, job: Job) -> None: ...

    def step(self, name: str, stage: str, done: int, total: int) -> None: ...


class Lines:
    """A display that prints a text line for each event, and none for mere continuation."""

    def __init__(self) -> None:
        self._said: dict[str, tuple[str, int]] = {}

    def upload(self, name: str) -> Progress:
        return lambda sent, total: None

    def entries(self, name: str, archive: Archive) -> None:
        opened = archive.entries_total - archive.entries_waiting
        if self._said.get(name) != (archive.state, opened):
            self._said[name] = (archive.state, opened)
            say(f"{name}: archive {archive.id}, {archive.state}, {opened} of {archive.entries_total} entries")

    def submitted(self, name: str, job: Job) -> None:
        say(f"{name}: job {job.id}, {_pages(job.pages_total)}")

    def pages(self, name: str, job: Job) -> None:
        now = (job.state, job.pages_done)
        if self._said.get(name) != now:
            self._said[name] = now
            say(f"{name}: {job.state}, {job.pages_done} of {_pages(job.pages_total)}")

    def step(self, name: str, stage: str, done: int, total: int) -> None:
        if self._said.get(name) != (stage, done):
            self._said[name] = (stage, done)
            say(f"{name}: {stage}" + (f", {done} of {total}" if total else ""))


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _pages(count: int) -> str:
    return "1 page" if count == 1 else f"{count} pages"


@contextmanager
def display() -> Iterator[Display]:
    if not sys.stderr.isatty():
        yield Lines()
        return
    try:
        from maas_client.cli.bars import Bars  # noqa: PLC0415  # rich is an extra that may be missing
    except ImportError:
        yield Lines()
        return
    with Bars.shown() as bars:
        yield bars
