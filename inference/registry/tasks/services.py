"""Orders of tasks, and their cancellation."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db.models.functions import Now

from inference.registry.errors import TaskNotFound
from inference.registry.models import ModelTask, ModelVariant, ModelVersion
from inference.registry.owners import author_name, owner_work
from inference.registry.tasks.claims import CANCELED, refuse_unfinished

State = ModelTask.State


def order_task(
    version: ModelVersion,
    kind: str,
    *,
    variant: ModelVariant | None = None,
    params: Mapping[str, Any] | None = None,
) -> ModelTask:
    """Order work on a version, in the transaction of what the work is for."""
    task = ModelTask.objects.create(
        tenant_id=version.tenant_id,
        version=version,
        variant=variant,
        kind=kind,
        params=dict(params or {}),
        author=author_name(),
    )
    task.refresh_from_db()
    return task


def cancel_task(*, owner: UUID | None, model: str, task_id: object) -> ModelTask:
    """Cancel a task. One that runs ends within seconds; one that has ended stays as it is."""
    with owner_work(owner):
        task = found_task(owner, model, task_id, for_update=True)
        if task.state == State.QUEUED:
            ModelTask.objects.filter(pk=task.pk).update(state=State.CANCELED, ended_at=Now())
            refuse_unfinished(task.version_id, task.kind, task.variant_id, *CANCELED)
        elif task.state == State.RUNNING:
            ModelTask.objects.filter(pk=task.pk).update(canceling=True)
        task.refresh_from_db()
        return task


def found_task(owner: UUID | None, model: str, task_id: object, *, for_update: bool = False) -> ModelTask:
    """Return a task of the owner's model, in `owner_work`."""
    tasks = ModelTask.objects.select_related("version__served_model", "variant").filter(
        tenant=owner, version__served_model__name=model
    )
    try:
        wanted = UUID(str(task_id))
    except ValueError:
        wanted = None
    locked = tasks.select_for_update(no_key=True, of=("self",)) if for_update else tasks
    task = locked.filter(pk=wanted).first() if wanted is not None else None
    if task is None:
        raise TaskNotFound(f"The model {model[:120]!r} has no task {str(task_id)[:60]!r}.")
    return task
