"""The names of all fields that a tenant's documents may have. Call these functions in a unit of work."""

from dataclasses import dataclass

from inference.fields.document import TYPES
from jobs.fields.names import TITLES
from jobs.own_fields.models import OwnField


@dataclass(frozen=True, slots=True)
class KnownField:
    title: str
    type: str


def built_in_fields() -> dict[str, KnownField]:
    return {name: KnownField(str(title), TYPES[name]) for name, title in TITLES.items()}


def known_fields() -> dict[str, KnownField]:
    """Return the built-in fields and the tenant's own, by name."""
    own = OwnField.objects.order_by("title").values_list("name", "title", "type")
    return {**built_in_fields(), **{name: KnownField(title, kind) for name, title, kind in own}}


def known_titles() -> dict[str, str]:
    """Return the titles of the built-in fields and of the tenant's own, by name."""
    return {name: field.title for name, field in known_fields().items()}


def known_types() -> dict[str, str]:
    """Return the types of the built-in fields and of the tenant's own, by name."""
    return {name: field.type for name, field in known_fields().items()}
