"""Work on models as the pages show it: what is done, how far it is, and what it ended with."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from uuid import UUID

from django.utils.translation import gettext_lazy as _

from inference.registry.models import ModelTask

Kind = ModelTask.Kind
_TITLES: Mapping[str, object] = MappingProxyType(
    {
        Kind.VALIDATE: _("Checking the file"),
        Kind.MEASURE: _("Measuring a variant"),
        Kind.OPTIMIZE: _("Making faster variants"),
        Kind.REPLAY: _("Comparing with its source again"),
    }
)
_ENDED: Mapping[str, object] = MappingProxyType(
    {
        Kind.VALIDATE: _("The check has ended."),
        Kind.MEASURE: _("The measurement has ended."),
        Kind.OPTIMIZE: _("The optimization has ended."),
        Kind.REPLAY: _("The comparison has ended."),
    }
)


@dataclass(frozen=True)
class TaskView:
    id: UUID
    kind: str
    title: str
    ended_notice: str
    """The text of the page when it has ended meanwhile."""
    version: int
    stage: str
    done: int
    total: int
    """The number of parts, or 0 while it is unknown."""
    ended: bool
    canceling: bool
    error: str


@dataclass(frozen=True)
class Outcome:
    """The outcome of a transformation that made no variant."""

    name: str
    state: str
    reason: str


def task_view(task: ModelTask) -> TaskView:
    return TaskView(
        id=task.pk,
        kind=task.kind,
        title=str(_TITLES[task.kind]),
        ended_notice=str(_ENDED[task.kind]),
        version=task.version.number,
        stage=task.stage or str(_("waiting for a worker")),
        done=task.done,
        total=task.total,
        ended=task.ended,
        canceling=task.canceling,
        error=task.error_detail,
    )


def under_way(tasks: Iterable[ModelTask]) -> tuple[TaskView, ...]:
    return tuple(task_view(task) for task in tasks if not task.ended)


def failures(tasks: Iterable[ModelTask]) -> tuple[TaskView, ...]:
    """Return the tasks that failed and were not ordered again. The tasks are given newest first."""
    newest: dict[tuple[int, str, UUID | None], ModelTask] = {}
    for task in tasks:
        newest.setdefault((task.version_id, task.kind, task.variant_id), task)
    return tuple(task_view(task) for task in newest.values() if task.state == ModelTask.State.FAILED)


@dataclass(frozen=True)
class SettingRow:
    """The figures of the version's own file with a number of threads and a size of batches."""

    threads: int
    batch: int
    rows_per_s: str
    p99: str
    chosen: bool
    """Set if it has the most throughput for what it takes from others."""


def settings_measured(tasks: Iterable[ModelTask]) -> tuple[SettingRow, ...]:
    """Return the settings that the last optimization measured. The tasks are given newest first."""
    for found in _last_optimization(tasks):
        if "measured" in found:
            return tuple(
                SettingRow(
                    threads=one["threads"],
                    batch=one["batch"],
                    rows_per_s=f"{one['rows_per_s']:,.0f}",
                    p99=f"{one['p99_ms']:,.2f} ms",
                    chosen=one == found["chosen"],
                )
                for one in found["measured"]
            )
    return ()


def outcomes(tasks: Iterable[ModelTask]) -> tuple[Outcome, ...]:
    """Return what made no variant in the last optimization that succeeded. The tasks are given newest first."""
    found = _last_optimization(tasks)
    return tuple(Outcome(one["transformation"], one["state"], one["reason"]) for one in found if "reason" in one)


def _last_optimization(tasks: Iterable[ModelTask]) -> Sequence[Mapping[str, Any]]:
    """Return the result of each transformation of the last optimization that succeeded, or nothing without one."""
    done = (task for task in tasks if task.kind == Kind.OPTIMIZE and task.state == ModelTask.State.SUCCEEDED)
    last = next(done, None)
    return last.result.get("transformations", ()) if last is not None else ()
