"""Refuses a document that a model cannot read when its job is submitted, and names the models that can read it."""

from inference.registry.models import ModelVersion
from inference.registry.selectors import models_reading
from inference.runtime.document_kinds import mismatch
from inference.runtime.parameters import documents_of
from jobs.core.errors import DocumentNotAccepted
from tenants.identity.identity import Identity

MAX_NAMED = 5


def require_readable(identity: Identity, version: ModelVersion, kind: str) -> None:
    """Raise DocumentNotAccepted if no page of this kind is readable by the model, which takes documents."""
    readable = documents_of(version.runtime, version.config)
    if kind in readable:
        return
    others = [other for other in models_reading(kind) if not identity.models or other in identity.models]
    instead = (
        f"Use {' or '.join(others[:MAX_NAMED])}."
        if others
        else "No available model reads this kind of document."
    )
    raise DocumentNotAccepted(f"{mismatch(version.served_model.name, readable, kind)} {instead}")
