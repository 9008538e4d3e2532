"""Merges what the pages of a document say about its fields."""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import connections

from inference.core.contracts import Json
from inference.fields.document import document_fields
from inference.own_fields.definition import OwnField
from jobs.core.document_class import DocumentClass
from jobs.own_fields.finding import MAX_PAGES, Result, values_of, with_own_fields
from tenants.core.db.unit_of_work import current_alias

_CANDIDATES = """
SELECT number, result -> 'field_candidates' FROM jobs_page
WHERE job_id = %(job)s AND state = 'succeeded' AND number <= %(last)s AND result ? 'field_candidates'
"""
Fields = Mapping[str, Any]


def usual_fields(job_id: UUID, document_class: DocumentClass | None) -> Fields | None:
    """Return the fields that any document may have, or None if no page says anything about them."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(_CANDIDATES, {"job": job_id, "last": MAX_PAGES})
        found = {number: json.loads(candidates) for number, candidates in cursor.fetchall()}
    return _merged([found.get(number) for number in range(1, max(found, default=0) + 1)], document_class)


def fields_in(
    results: Sequence[Result | None], own: Sequence[OwnField], document_class: DocumentClass | None
) -> Fields | None:
    """Return the fields in the results of the first pages with the tenant's own ones, or None without any."""
    candidates = [result.get("field_candidates") if result else None for result in results]
    return with_own_fields(_merged(candidates, document_class), values_of(results, own))


def _merged(candidates: Sequence[Json | None], document_class: DocumentClass | None) -> Fields | None:
    if not any(page is not None for page in candidates):
        return None
    corrected = document_class.label if document_class and document_class.corrected else None
    fields: Fields = document_fields(candidates, corrected)
    return fields
