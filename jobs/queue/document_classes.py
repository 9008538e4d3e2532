"""Reads the class of a document from its pages and their corrections, while the row of its job is locked."""

import json
from collections.abc import Mapping
from uuid import UUID

from django.db import connections

from jobs.class_sets.classifying import Classes
from jobs.class_sets.models import ClassifiedJob
from jobs.class_sets.selectors import classified
from jobs.core.document_class import DocumentClass, Probabilities, best_first, class_with_corrections
from tenants.core.db.unit_of_work import current_alias

_CLASSES = """
SELECT number, class_probabilities, NULL FROM jobs_page WHERE job_id = %(job)s AND class_probabilities IS NOT NULL
UNION ALL
SELECT number, NULL, corrected FROM jobs_correction WHERE job_id = %(job)s AND kind = 'class' AND ended_at IS NULL
"""
_NO_MORE: Mapping[int, Probabilities] = {}


def class_of_document(job_id: UUID, class_set: str = "") -> DocumentClass | None:
    """Return the class: that of the job's class set if it gave one, else the model's.

    Each page that ended before is seen, because the row of the job is locked.
    """
    return decided_class(job_id, class_set, classified(job_id) if class_set else None)


def decided_class(
    job_id: UUID,
    class_set: str,
    given: Classes | ClassifiedJob | None,
    more: Mapping[int, Probabilities] = _NO_MORE,
) -> DocumentClass | None:
    """Return the class, where `given` is what the class set says, and `more` are pages that are not stored yet."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(_CLASSES, {"job": job_id})
        rows = cursor.fetchall()
    corrected = {number: label for number, _, label in rows if label is not None}
    if given is None:
        stored = {number: json.loads(probabilities) for number, probabilities, _ in rows if probabilities is not None}
        return class_with_corrections({**stored, **more}.items(), corrected)
    pages = [(int(number), page["probabilities"]) for number, page in given.pages.items()]
    found = DocumentClass(given.label, best_first(given.probabilities), class_set=class_set)
    return class_with_corrections(pages, corrected, found)
