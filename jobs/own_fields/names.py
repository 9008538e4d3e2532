"""The names of all fields that a tenant's documents may have. Call these functions in a unit of work."""

from inference.fields.document import TYPES
from jobs.fields.names import TITLES
from jobs.own_fields.models import OwnField


def known_titles() -> dict[str, str]:
    """Return the titles of the built-in fields and of the tenant's own, by name."""
    own = OwnField.objects.order_by("title").values_list("name", "title")
    return {**{name: str(title) for name, title in TITLES.items()}, **dict(own)}


def known_types() -> dict[str, str]:
    """Return the types of the built-in fields and of the tenant's own, by name."""
    return {**TYPES, **dict(OwnField.objects.order_by("title").values_list("name", "type"))}
