"""Reads the own fields of a tenant as they are looked for: each with what its examples taught."""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import structlog
from django.db import connections

from inference.own_fields.definition import OwnField, Trace
from tenants.core.db.unit_of_work import current_alias

log = structlog.get_logger(__name__)

_DEFINITIONS = """
SELECT jsonb_build_object(
    'name', own.name, 'type', own.type, 'labels', own.labels, 'place', own.place, 'classes', own.classes,
    'traces', (
        SELECT coalesce(jsonb_agg(example.trace ORDER BY example.id), '[]')
        FROM jobs_ownfieldexample example WHERE example.tenant_id = own.tenant_id AND example.field_id = own.id
    )
)
FROM jobs_ownfield own WHERE own.tenant_id = %(tenant)s AND own.livemode = %(livemode)s ORDER BY own.id
"""


def definitions_of(tenant_id: UUID, *, livemode: bool) -> list[OwnField]:
    """Return the own fields of a mode in the order in which they were made, in a unit of work of the tenant."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(_DEFINITIONS, {"tenant": tenant_id, "livemode": livemode})
        return definitions([json.loads(definition) for (definition,) in cursor.fetchall()])


def definitions(stored: Sequence[Mapping[str, Any]]) -> list[OwnField]:
    """Return the definitions that make sense. What an earlier version stored must not stop the end of a job."""
    return [field for field in map(_definition, stored) if field is not None]


def _definition(stored: Mapping[str, Any]) -> OwnField | None:
    try:
        return OwnField(
            stored["name"],
            stored["type"],
            tuple(stored["labels"]),
            stored["place"],
            tuple(stored["classes"]),
            tuple(map(Trace.of_json, stored["traces"])),
        )
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        log.exception("own_field_unreadable", field=stored.get("name"))
        return None
