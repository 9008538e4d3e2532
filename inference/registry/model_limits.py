"""How many models of its own an account may have, and how large."""

from dataclasses import dataclass
from uuid import UUID

from django.conf import settings

_MB = 1_000_000


@dataclass(frozen=True)
class ModelLimits:
    models: int | None
    """The number of models that the owner may have, or None without a limit."""
    file_bytes: int


def limits_of(owner: UUID | None) -> ModelLimits:
    """Return the limits of an account. The installation itself is bound by the largest file alone."""
    file_bytes = settings.MAAS_OWN_MODEL_MB * _MB
    return ModelLimits(None if owner is None else settings.MAAS_OWN_MODELS, file_bytes)
