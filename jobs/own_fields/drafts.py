"""Makes definitions to try: of a saved field, of a saved field with changes, or of one that is not saved yet.

Call these functions in a unit of work.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.forms.models import model_to_dict

from inference.own_fields.definition import PLACES, TYPES, OwnField
from jobs.own_fields.definitions import definitions
from jobs.own_fields.selectors import get_own_field
from jobs.own_fields.settings import checked_choice, checked_classes, checked_labels, require_findable
from jobs.own_fields.spots import Seen, Spot, seen_at
from tenants.core.errors import InvalidRequest

UNNAMED = "field"
"""The name of a field that has none yet."""


@dataclass(frozen=True, slots=True)
class Draft:
    field: OwnField
    livemode: bool


def saved(name: str) -> Draft:
    """Return a saved field by its name or id."""
    row = get_own_field(name)
    examples = row.examples.order_by("id").values_list("trace", flat=True)
    stored = {**model_to_dict(row, ("name", "type", "labels", "place", "classes")), "traces": list(examples)}
    field = next(iter(definitions([stored])), None)
    if field is None:
        raise InvalidRequest(f"The field {row.name!r} was stored by another version. Delete its examples.")
    return Draft(field, row.livemode)


def draft(
    settings: Mapping[str, Any], spots: Sequence[Spot], base: Draft | None = None, *, livemode: bool = True
) -> Draft:
    """Return a draft with these settings, which are all optional, and what is learned at the spots.

    Without a spot or a saved field, it is of this mode.
    """
    seen = [seen_at(spot) for spot in spots]
    start = base.field if base else _begun(seen)
    mode = base.livemode if base else seen[0].job.livemode if seen else livemode
    changed = {setting: _CHECKS[setting](value) for setting, value in settings.items() if value is not None}
    field = replace(start, **changed, traces=(*start.traces, *(each.pointed.trace for each in seen)))
    require_findable(labels=field.labels, place=field.place, examples=len(field.traces))
    return Draft(field, mode)


def _begun(seen: Sequence[Seen]) -> OwnField:
    """Return a field as its first example shows it."""
    if not seen:
        return OwnField(UNNAMED, TYPES[0], (), PLACES[0])
    first = seen[0].pointed
    return OwnField(UNNAMED, first.type, (first.label,) if first.label else (), first.place)


_CHECKS: Mapping[str, Any] = {
    "type": lambda value: checked_choice("type", value, TYPES),
    "labels": lambda value: tuple(checked_labels(value)),
    "place": lambda value: checked_choice("place", value, PLACES),
    "classes": lambda value: tuple(checked_classes(value)),
}
