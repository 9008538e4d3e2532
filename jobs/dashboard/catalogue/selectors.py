"""Reads of the models that a person may see: those that are served, paused or not."""

from django.db.models import Prefetch

from inference.registry.errors import ModelNotFound
from inference.registry.models import ModelVersion, ServedModel
from inference.registry.selectors import NAME, active_models
from inference.runtime.parameters import TENSORS

VERSIONS_SHOWN = 50


def listed_models() -> list[ServedModel]:
    """Return the models, with `parse` first, as in all lists, and added graphs last. `versions` have only their
    numbers.
    """
    numbers = ModelVersion.objects.filter(state=ModelVersion.State.READY).only("served_model", "number")
    served = active_models().prefetch_related(Prefetch("versions", numbers))
    return sorted(served, key=lambda model: (model.name != "parse", model.accepts == [TENSORS]))


def model_named(name: str) -> ServedModel:
    served = active_models().filter(name=name).first() if NAME.fullmatch(name) else None
    if served is None:
        raise ModelNotFound(f"Model {name[:60]!r} does not exist.")
    return served


def newest_versions(served: ServedModel) -> list[ModelVersion]:
    columns = ("served_model", "number", "digest", "state", "created_at")
    return list(served.versions.order_by("-number").only(*columns)[:VERSIONS_SHOWN])
