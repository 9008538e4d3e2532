"""Reads the class of a document from its pages and their corrections, while the row of its job is locked."""

import json
from uuid import UUID

from django.db import connections

from jobs.core.document_class import DocumentClass, class_with_corrections
from tenants.core.db.unit_of_work import current_alias

_CLASSES = """
SELECT number, class_probabilities, NULL FROM jobs_page WHERE job_id = %(job)s AND class_probabilities IS NOT NULL
UNION ALL
SELECT number, NULL, corrected FROM jobs_correction WHERE job_id = %(job)s AND kind = 'class' AND ended_at IS NULL
"""


def class_of_document(job_id: UUID) -> DocumentClass | None:
    """Return the class. Each page that ended before is seen, because the row of the job is locked."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(_CLASSES, {"job": job_id})
        rows = cursor.fetchall()
    pages = [(number, json.loads(probabilities)) for number, probabilities, _ in rows if probabilities is not None]
    return class_with_corrections(pages, {number: label for number, _, label in rows if label is not None})
