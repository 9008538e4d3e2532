"""Progress bars made with `rich`: a bar for each file, first for its bytes and then for its pages."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from maas_client import uploads
from maas_client.archives import Archive
from maas_client.resources import Job


class Bars:
    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._tasks: dict[str, TaskID] = {}

    @classmethod
    @contextmanager
    def shown(cls) -> "Iterator[Bars]":
        columns = (
            TextColumn("{task.description}", markup=True),
            BarColumn(),
            TextColumn("{task.fields[count]}"),
            TimeElapsedColumn(),
        )
        with Progress(*columns, console=Console(stderr=True)) as progress:
            yield cls(progress)

    def upload(self, name: str) -> uploads.Progress:
        task = self._task(name)

        def tell(sent: int, total: int) -> None:
            self._progress.update(task, completed=sent, total=total, count=f"{sent / max(total, 1):.0%} sent")

        return tell

    def entries(self, name: str, archive: Archive) -> None:
        opened, total = archive.entries_total - archive.entries_waiting, archive.entries_total
        self._progress.update(
            self._task(name),
            completed=opened,
            total=total,
            count=f"{opened}/{total} entries, {archive.state}",
        )

    def submitted(self, name: str, job: Job) -> None:
        self.pages(name, job)

    def pages(self, name: str, job: Job) -> None:
        done, total = job.pages_done, job.pages_total
        self._progress.update(self._task(name), completed=done, total=total, count=f"{done}/{total} pages, {job.state}")

    def step(self, name: str, stage: str, done: int, total: int) -> None:
        count = f"{done}/{total} {stage}" if total else stage
        self._progress.update(self._task(name), completed=done, total=total or None, count=count)

    def _task(self, name: str) -> TaskID:
        if name not in self._tasks:
            self._tasks[name] = self._progress.add_task(escape(name), total=None, count="")
        return self._tasks[name]
