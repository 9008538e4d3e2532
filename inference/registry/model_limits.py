"""The number of models that an account may have of its own, and their sizes."""

from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet

from inference.registry.models import ModelVersion, ServedModel
from tenants.core.db.unit_of_work import unit_of_work
from tenants.limits.fields import OF_MODELS
from tenants.limits.quota.counted import CountedLimit
from tenants.limits.quota.wording import MB, size
from tenants.plans.models import ChosenLimits, Plan


@dataclass(frozen=True)
class ModelLimits:
    models: int | None
    """The number of models that the owner may have, or None without a limit."""
    file_bytes: int
    plan: str = ""
    """The name of the owner's plan, or nothing without one."""
    of_plan: frozenset[str] = frozenset()
    """The limits that the plan sets: `own_models`, `own_model_mb`."""

    def whose(self, limit: str) -> str:
        """Return the subject of a refusal, with the plan if that sets the limit."""
        return f"With the plan {self.plan!r}, this account" if limit in self.of_plan else "This account"


def limits_of(owner: UUID | None) -> ModelLimits:
    """Return the limits of an account. The installation itself is bound by the largest file alone."""
    usual = ModelLimits(settings.MAAS_OWN_MODELS, settings.MAAS_OWN_MODEL_MB * MB)
    if owner is None:
        return ModelLimits(None, usual.file_bytes)
    chosen = _chosen(owner)
    if chosen is None:
        return usual
    return ModelLimits(
        models=usual.models if chosen.own_models is None else chosen.own_models,
        file_bytes=usual.file_bytes if chosen.own_model_mb is None else chosen.own_model_mb * MB,
        plan=chosen.plan.name if chosen.plan else "",
        of_plan=frozenset(name for name in OF_MODELS if chosen.plan and _is_of_plan(name, chosen, chosen.plan)),
    )


def _is_of_plan(name: str, chosen: ChosenLimits, plan: Plan) -> bool:
    number = getattr(chosen, name)
    return number is not None and number == getattr(plan, name)


def held_models(owner: UUID) -> int:
    """Return the number of models that an account has now. Call this in its unit of work."""
    return counted_models(owner).count()


def counted_limits(owner: UUID) -> list[CountedLimit]:
    """Return how many models the account may still have, and how large a file may be. Call this in its unit of work."""
    limits = limits_of(owner)
    largest = CountedLimit("own_model_mb", "File of a model of your own", limits.file_bytes // MB, None, "MB")
    if limits.models is None:
        return [largest]
    left = max(0, limits.models - held_models(owner))
    return [CountedLimit("own_models", "Models of your own", limits.models, left), largest]


def counted_models(owner: UUID) -> "QuerySet[ServedModel]":
    """Return the models that count, in the unit of work of the account. One of which all versions were refused is none
    of them, until another version of it is checked.
    """
    versions = ModelVersion.objects.filter(served_model=OuterRef("pk")).exclude(state=ModelVersion.State.REFUSED)
    return ServedModel.objects.filter(Exists(versions), tenant=owner, deleted_at=None)


def too_large(file: Path, limits: ModelLimits) -> str:
    """Return why a file is refused that is larger than the limit."""
    whose = limits.whose("own_model_mb")
    return f"The file has {size(file.stat().st_size)}. {whose} may have models of {size(limits.file_bytes)}."


def _chosen(owner: UUID) -> ChosenLimits | None:
    with unit_of_work(owner):
        return ChosenLimits.objects.select_related("plan").filter(tenant=owner).first()
