"""Explanations of why a name of an account's own model has no version that may run."""

from uuid import UUID

from inference.registry.errors import ModelNotFound
from inference.registry.models import ModelVersion, ServedModel
from inference.registry.references import CURRENT, Reference

State = ModelVersion.State


def no_version_of_own(reference: Reference, owner: UUID) -> ModelNotFound | None:
    """Return the explanation, in the scope of the owner, or None if the owner has no such model."""
    served = ServedModel.objects.filter(tenant=owner, name=reference.name, deleted_at=None).first()
    if served is None:
        return None
    versions = served.versions.filter(deleted_at=None)
    if reference.number is not None:
        version = versions.filter(number=reference.number).first()
        missing = f"The model {served.name!r} has no version {reference.number}."
        return ModelNotFound(_state_of(version) if version else missing)
    if reference.alias != CURRENT:
        return ModelNotFound(f"The model {served.name!r} has no alias {reference.alias!r}.")
    newest = versions.order_by("-number").first()
    state = f" {_state_of(newest)}" if newest else ""
    return ModelNotFound(f"The model {served.name!r} has no version yet that answers for its name.{state}")


def _state_of(version: ModelVersion) -> str:
    match version.state:
        case State.VALIDATING:
            return f"Version {version.number} is being checked. Try again in a few seconds."
        case State.REFUSED:
            return f"Version {version.number} was refused: its report says why."
        case State.RETIRED:
            return f"Version {version.number} is retired and takes no new calls."
        case _:
            return f"Version {version.number} is ready: call it by its number, or move an alias to it."
