"""The owners of models: the installation, or one tenant. An owner sees and changes its own models alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.db import transaction

from inference.registry.errors import ModelNotFound
from inference.registry.models import ServedModel
from inference.registry.references import NAME
from tenants.audit.acting import OPERATOR as OPERATOR_KIND
from tenants.audit.acting import acting
from tenants.cells.replicated import Kind, refuse_if_replicated
from tenants.core.db.unit_of_work import OPERATOR, operator_work, unit_of_work


@contextmanager
def owner_work(owner: UUID | None) -> Iterator[None]:
    """Run one transaction in which the models of the owner can be changed: a tenant's, or the installation's."""
    if owner is not None:
        with unit_of_work(owner):
            yield
        return
    with operator_work(), transaction.atomic(using=OPERATOR):
        yield


def author_name() -> str:
    """Return who changes a model, for its history. The name of an operator is not shown to accounts."""
    actor = acting()
    return actor.name or (OPERATOR_KIND if actor.kind == OPERATOR_KIND else "")


def owned_model(owner: UUID | None, name: str, *, for_update: bool = False) -> ServedModel:
    """Return a model of the owner, in `owner_work`. Raises ModelNotFound, also for a model of somebody else.

    A model of the installation that came from another cell is not changed here: raises ChangedElsewhere.
    """
    if owner is None and for_update:
        refuse_if_replicated(Kind.MODEL, name)
    models = ServedModel.objects.filter(tenant=owner, name=name, deleted_at=None)
    named = NAME.fullmatch(name) is not None
    served = (models.select_for_update(no_key=True) if for_update else models).first() if named else None
    if served is None:
        raise ModelNotFound(f"There is no model {name[:120]!r} of yours.")
    return served
