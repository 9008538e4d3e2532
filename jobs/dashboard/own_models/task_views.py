"""Work on models as the pages show it: what is done, how far it is, and what it ended with."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
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


@dataclass(frozen=True)
class TaskView:
    id: UUID
    kind: str
    title: str
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


def outcomes(tasks: Iterable[ModelTask]) -> tuple[Outcome, ...]:
    """Return what made no variant in the last optimization that succeeded. The tasks are given newest first."""
    done = (task for task in tasks if task.kind == Kind.OPTIMIZE and task.state == ModelTask.State.SUCCEEDED)
    last = next(done, None)
    found = last.result.get("transformations", ()) if last is not None else ()
    return tuple(Outcome(one["transformation"], one["state"], one["reason"]) for one in found if "reason" in one)
