"""Own fields and what they find, as the dashboard shows them. This module makes no queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from jobs.dashboard.own_fields.wording import PLACES, TYPES
from jobs.dashboard.reading.lines import SURE
from jobs.own_fields.models import OwnField, OwnFieldExample
from jobs.own_fields.trials import Tried

MAX_VALUES = 5
"""The most values of a document that are shown. A column of a table has many."""


@dataclass(frozen=True)
class ExampleView:
    id: UUID
    job_id: UUID | None
    page: int | None
    name: str


@dataclass(frozen=True)
class OwnFieldView:
    id: UUID
    name: str
    title: str
    type: str
    place: str
    labels: Sequence[str]
    classes: Sequence[str]
    examples: Sequence[ExampleView]
    of_tests: bool
    found: int | None = None
    """The number of the last documents in which it is found. It is None if they were not looked through."""
    tried: int = 0


def own_field_view(field: OwnField, tries: Sequence[Tried] | None = None) -> OwnFieldView:
    """Return the view of a field. `tries` are of several fields on the last documents of its mode."""
    examples = sorted(field.examples.all(), key=lambda example: example.id)
    return OwnFieldView(
        field.id,
        field.name,
        field.title,
        str(TYPES.get(field.type, field.type)),
        str(PLACES.get(field.place, field.place)),
        field.labels,
        field.classes,
        [_example_view(example) for example in examples],
        not field.livemode,
        None if tries is None else sum(any(value["name"] == field.name for value in one.values) for one in tries),
        len(tries or ()),
    )


def _example_view(example: OwnFieldExample) -> ExampleView:
    document = example.job.document if example.job else None
    return ExampleView(example.id, example.job_id, example.page, document.name if document else "")


@dataclass(frozen=True)
class ValueView:
    text: str
    normalized: str
    """The value for programs, if it is written in another way. Lines are only joined, so these are left out."""
    page: int
    percent: int
    unsure: bool


@dataclass(frozen=True)
class TriedView:
    job_id: UUID
    name: str
    values: Sequence[ValueView]
    more: int
    """The values that are not shown."""
    in_class: bool


def tried_views(documents: Sequence[Tried]) -> list[TriedView]:
    return [
        TriedView(
            one.job.id,
            one.job.document.name if one.job.document else "",
            [_value_view(value) for value in one.values[:MAX_VALUES]],
            max(0, len(one.values) - MAX_VALUES),
            one.in_class,
        )
        for one in documents
    ]


def _value_view(value: Mapping[str, Any]) -> ValueView:
    normalized = value["normalized"] or ""
    return ValueView(
        value["value"],
        "" if normalized == value["value"] or "\n" in value["value"] else normalized,
        value["page"],
        round(100 * value["confidence"]),
        value["confidence"] < SURE,
    )
