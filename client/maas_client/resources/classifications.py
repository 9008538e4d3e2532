"""The class of a document or of a page."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from maas_client.resources.json_values import Json


@dataclass(frozen=True, slots=True)
class Classification:
    """The class of a document or of a page."""

    label: str
    """The class, such as "invoice", or "unsure"."""
    probabilities: Mapping[str, float]
    """The probability of each class, as the model gave it. Results of earlier versions have none."""
    corrected: bool = False
    """Say whether a person chose the label of the document. For a page, see its corrections."""

    @classmethod
    def from_json(cls, body: Json | None) -> Self | None:
        return cls(body["label"], body.get("probabilities", {}), body.get("corrected", False)) if body else None
