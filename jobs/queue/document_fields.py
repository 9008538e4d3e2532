"""Merges what the pages of a document say about its fields, while the row of its job is locked."""

import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import connections

from inference.fields.document import document_fields
from jobs.own_fields.definitions import DEFINITIONS, definitions
from jobs.own_fields.finding import MAX_PAGES, of_class, results_of, values_of, with_own_fields
from tenants.core.db.unit_of_work import current_alias

_CANDIDATES_AND_OWN = f"""
SELECT number, result -> 'field_candidates' FROM jobs_page
WHERE job_id = %(job)s AND state = 'succeeded' AND number <= %(last)s AND result ? 'field_candidates'
UNION ALL (SELECT NULL, * FROM ({DEFINITIONS}) own)
"""  # noqa: S608  # a constant


def fields_of_document(job_id: UUID, tenant_id: UUID, *, livemode: bool, label: str) -> Mapping[str, Any] | None:
    """Return the fields with the tenant's own for documents of the class `label`, or None if there are neither."""
    with connections[current_alias()].cursor() as cursor:
        values: dict[str, UUID | int] = {"job": job_id, "tenant": tenant_id, "livemode": livemode, "last": MAX_PAGES}
        cursor.execute(_CANDIDATES_AND_OWN, values)
        rows = [(number, json.loads(found)) for number, found in cursor.fetchall()]
    found = {number: candidates for number, candidates in rows if number is not None}
    fields: Mapping[str, Any] | None = None
    if found:
        fields = document_fields([found.get(number) for number in range(1, max(found) + 1)])
    own = of_class(definitions([stored for number, stored in rows if number is None]), label)
    return with_own_fields(fields, values_of(results_of(job_id), own)) if own else fields
