"""How many models of its own an account may have, how large, and what a run of one costs."""

from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.conf import settings

from inference.registry.admission import AdmissionLimits

_MB = 1_000_000


@dataclass(frozen=True)
class ModelLimits:
    models: int | None
    """The number of models that the owner may have, or None without a limit."""
    file_bytes: int

    @property
    def admission(self) -> AdmissionLimits:
        usual = AdmissionLimits()
        return replace(
            usual,
            max_file_bytes=self.file_bytes,
            max_initializer_bytes=max(usual.max_initializer_bytes, 2 * self.file_bytes),
        )

    def price_fields(self) -> dict[str, Any]:
        """Return the price of a new model. An account's price of all models comes before it."""
        return {"price_meter": "call", "price_micros": 0}


def limits_of(owner: UUID | None) -> ModelLimits:
    """Return the limits of an account. The installation itself is bound by the largest file alone."""
    file_bytes = settings.MAAS_OWN_MODEL_MB * _MB
    return ModelLimits(None if owner is None else settings.MAAS_OWN_MODELS, file_bytes)
