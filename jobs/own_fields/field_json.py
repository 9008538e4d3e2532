"""The JSON of own fields, their examples, and what they find."""

from collections.abc import Mapping, Sequence
from typing import Any

from inference.own_fields.definition import OwnField as Definition
from jobs.own_fields.applying import Applied
from jobs.own_fields.models import OwnField, OwnFieldExample
from jobs.own_fields.spots import Seen
from jobs.own_fields.trials import Tried


def field_json(field: OwnField) -> dict[str, object]:
    examples = sorted(field.examples.all(), key=lambda example: example.id)
    return {
        "id": str(field.id),
        "object": "field",
        "name": field.name,
        "title": field.title,
        "type": field.type,
        "labels": field.labels,
        "place": field.place,
        "classes": field.classes,
        "examples": [example_json(example) for example in examples],
        "livemode": field.livemode,
        "author": field.author,
        "created_at": field.created_at,
        "updated_at": field.updated_at,
    }


def example_json(example: OwnFieldExample) -> dict[str, object]:
    """Return an example. Where it was is null once its job is erased. Only what was learned from it is kept then."""
    return {
        "id": str(example.id),
        "job": example.job_id and str(example.job_id),
        "document": example.job and example.job.document_id and str(example.job.document_id),
        "page": example.page,
        "box": example.box,
        "created_at": example.created_at,
    }


def seen_json(seen: Seen) -> dict[str, object]:
    found = seen.pointed
    return {
        "object": "pointed",
        "job": str(seen.job.id),
        "page": seen.spot.page,
        "text": found.text,
        "box": found.box,
        "label": found.label or None,
        "label_box": found.label_box,
        "type": found.type,
        "place": found.place,
    }


def trial_json(field: Definition, documents: Sequence[Tried]) -> dict[str, object]:
    return {
        "object": "field_trial",
        "field": {
            "type": field.type,
            "labels": list(field.labels),
            "place": field.place,
            "classes": list(field.classes),
        },
        "tried": len(documents),
        "in_class": sum(document.in_class for document in documents),
        "found": sum(bool(document.values) for document in documents),
        "documents": [_tried_json(document) for document in documents],
    }


def _tried_json(document: Tried) -> dict[str, object]:
    job = document.job
    return {
        "job": str(job.id),
        "document": str(job.document_id),
        "name": job.document.name if job.document else "",
        "in_class": document.in_class,
        "values": [_value_json(value) for value in document.values],
    }


def _value_json(value: Mapping[str, Any]) -> dict[str, object]:
    return {name: content for name, content in value.items() if name != "own"}


def applied_json(applied: Applied) -> dict[str, object]:
    return {
        "object": "field_application",
        "jobs": applied.jobs,
        "changed": applied.changed,
        "has_more": applied.cursor is not None,
        "next_cursor": applied.cursor and str(applied.cursor),
    }
