"""Reads of own fields and their examples. Call these functions in a unit of work."""

from django.db.models import QuerySet

from jobs.own_fields.models import OwnField, OwnFieldExample
from tenants.core.errors import NotFound
from tenants.core.ids import as_uuid


def own_fields() -> "QuerySet[OwnField]":
    """Return the fields, newest first, with the examples that the caller can see."""
    return OwnField.objects.prefetch_related("examples__job__document").order_by("-id")


def get_own_field(name: str, *, for_update: bool = False) -> OwnField:
    """Return a field by its name or id. People, who see both modes, get that of live documents by the name."""
    rows = OwnField.objects.select_for_update(no_key=True) if for_update else own_fields()
    wanted = as_uuid(name) if "-" in name else None
    rows = rows.filter(id=wanted) if wanted else rows.filter(name=name.replace("\0", "")).order_by("-livemode")
    found = rows.first()
    if found is None:
        raise NotFound(f"There is no field {name[:60]!r}.")
    return found


def get_example(field: OwnField, example_id: object) -> OwnFieldExample:
    wanted = as_uuid(example_id)
    found = field.examples.filter(id=wanted).first() if wanted else None
    if found is None:
        raise NotFound(f"The field {field.name!r} has no example {str(example_id)[:60]!r}.")
    return found
