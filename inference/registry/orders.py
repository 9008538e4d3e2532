"""Orders of long work on models. The work itself is done elsewhere, with libraries that no request needs."""

from collections.abc import Sequence
from datetime import timedelta
from importlib.metadata import PackageNotFoundError, version
from uuid import UUID

from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now

from inference.registry.errors import ModelInUse
from inference.registry.models import ModelTask, ModelVersion
from inference.registry.owners import owned_model, owner_work
from inference.registry.tasks.services import order_task
from inference.registry.variants import ready_version
from tenants.audit.services import record
from tenants.core.db.unit_of_work import operator_work
from tenants.core.errors import InvalidRequest

PRUNE = "prune"
SETTINGS = "settings"
NAMES = ("optimize", "slim", "fuse", "dynamic-int8", "static-int8", PRUNE, SETTINGS)
REPLAY_EVERY = timedelta(hours=24)
MAX_ORDERED = 100
_RUNTIMES = ("onnxruntime", "onnxruntime-gpu")


def order_optimization(
    *, owner: UUID | None, model: str, number: int, transformations: Sequence[str] = ()
) -> ModelTask:
    """Order variants of a version, by all transformations that suit it or by those that are named."""
    unknown = sorted(set(transformations) - set(NAMES))
    if unknown:
        raise InvalidRequest(f"Unknown transformation {unknown[0][:40]!r}. Use {', '.join(NAMES)}.")
    with owner_work(owner):
        owned_model(owner, model, for_update=True)
        version = ready_version(owner, model, number)
        _refuse_beside_another(version)
        params = {"transformations": list(dict.fromkeys(transformations))} if transformations else {}
        task = order_task(version, ModelTask.Kind.OPTIMIZE, params=params)
        if owner is not None:
            record(tenant_id=owner, action="model.optimization_started", subject_id=version.pk, subject=version.key)
    return task


def _refuse_beside_another(version: ModelVersion) -> None:
    unfinished = version.tasks.filter(kind=ModelTask.Kind.OPTIMIZE, state__in=("queued", "running")).first()
    if unfinished is not None:
        raise ModelInUse(
            f"An optimization of {version.key} is under way: task {unfinished.pk}. Wait for its end or cancel it.",
            extra={"task": str(unfinished.pk)},
        )


def order_replays() -> int:
    """Order a replay of each version of a variant that had none for a day, or none with this ONNX Runtime."""
    runtime = _runtime_version()
    with operator_work():
        recent = ModelTask.objects.filter(version=OuterRef("pk"), kind=ModelTask.Kind.REPLAY).filter(
            Q(created_at__gte=Now() - REPLAY_EVERY, params__onnx_runtime=runtime) | Q(ended_at=None)
        )
        due = ModelVersion.objects.filter(~Exists(recent), source__isnull=False, lineage__has_key="variant")
        ready = due.filter(state=ModelVersion.State.READY, deleted_at=None, paused_reason="")
        versions = list(ready.select_related("served_model")[:MAX_ORDERED])
        for found in versions:
            order_task(found, ModelTask.Kind.REPLAY, params={"onnx_runtime": runtime})
    return len(versions)


def _runtime_version() -> str:
    """Return the version of the installed ONNX Runtime, which is not imported for it."""
    for package in _RUNTIMES:
        try:
            return version(package)
        except PackageNotFoundError:
            continue
    return ""
