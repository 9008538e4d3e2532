"""Merges what the pages of a document say about its fields, while the row of its job is locked."""

import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import connections

from inference.fields.document import document_fields
from tenants.core.db.unit_of_work import current_alias

MAX_PAGES = 200
"""The most pages that are asked for fields. A longer document is no invoice, and its end must not take long."""
_CANDIDATES = """
SELECT number, result -> 'field_candidates' FROM jobs_page
WHERE job_id = %(job)s AND state = 'succeeded' AND number <= %(last)s AND result ? 'field_candidates'
"""


def fields_of_document(job_id: UUID) -> Mapping[str, Any] | None:
    """Return the fields, or None if the model of the job finds none."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(_CANDIDATES, {"job": job_id, "last": MAX_PAGES})
        found = {number: json.loads(candidates) for number, candidates in cursor.fetchall()}
    if not found:
        return None
    merged: Mapping[str, Any] = document_fields([found.get(number) for number in range(1, max(found) + 1)])
    return merged
