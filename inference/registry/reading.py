"""Reads of models for people and programs, within the scope of the caller."""

from uuid import UUID

from django.db.models import F, QuerySet

from inference.registry.models import ModelTask, ModelVersion, ServedModel
from inference.registry.references import NAME
from inference.registry.selectors import NAMED, active_models, no_such_model, usable_by


def shown_model(tenant_id: UUID, name: str) -> ServedModel:
    """Return a model that the tenant may use, its own first. It may have no version that is ready."""
    usable = usable_by(tenant_id).filter(name=name).order_by(F("tenant").asc(nulls_last=True))
    served = usable.select_related("current").first() if NAME.fullmatch(name) else None
    if served is None:
        raise no_such_model(name, active_models(tenant_id).values_list("name", flat=True)[:NAMED])
    return served


def versions_of(served: ServedModel) -> "QuerySet[ModelVersion]":
    """Return the versions of a model, the newest first, with all that is shown of them."""
    versions = served.versions.filter(deleted_at=None).select_related("served_model", "source__served_model")
    return versions.prefetch_related("aliases", "tasks").order_by("-number")


def tasks_of(served: ServedModel) -> "QuerySet[ModelTask]":
    tasks = ModelTask.objects.filter(version__served_model=served).select_related("version__served_model")
    return tasks.order_by("-id")
