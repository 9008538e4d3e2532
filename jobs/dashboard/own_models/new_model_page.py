"""The content of the page that adds a model: what the account may still add, and an example of a pipeline."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from uuid import UUID

from inference.registry.model_limits import held_models, limits_of
from inference.registry.own_pipelines import possible_members
from tenants.limits.quota.wording import size

EXAMPLE: Mapping[str, Any] = MappingProxyType(
    {
        "accepts": ["document"],
        "steps": [
            {
                "name": "text",
                "kind": "branch",
                "if": {"value": "input.has_text", "is": True},
                "then": {"output": "input.text"},
                "else": {
                    "steps": [{"name": "ocr", "kind": "model", "role": "reader", "inputs": {"page": "input"}}],
                    "output": "ocr.text",
                },
            }
        ],
        "output": {"text": "text"},
        "members": {"reader": "ocr"},
    }
)
"""A pipeline that takes a page's own text, or recognizes it."""


@dataclass(frozen=True)
class NewModel:
    held: int
    max_models: int
    max_bytes: int
    max_size: str
    possible_members: tuple[str, ...]
    example: str


def new_model_page(tenant_id: UUID) -> NewModel:
    """Return what the page says, in the scope of its tenant."""
    limits = limits_of(tenant_id)
    return NewModel(
        held=held_models(tenant_id),
        max_models=limits.models or 0,
        max_bytes=limits.file_bytes,
        max_size=size(limits.file_bytes),
        possible_members=tuple(possible_members(tenant_id)),
        example=json.dumps(dict(EXAMPLE), indent=2),
    )
