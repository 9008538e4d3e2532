"""Finds the fields of a document again when a person has corrected its class, or has undone that."""

from collections.abc import Mapping
from typing import Any

from jobs.core import states
from jobs.core.document_class import DocumentClass
from jobs.core.models import Job
from jobs.fields.corrected import as_read, with_corrections
from jobs.fields.selectors import field_corrections
from jobs.own_fields.definitions import definitions_of
from jobs.own_fields.finding import of_class, own_fields_in, results_of, values_of, with_own_fields
from jobs.queue.document_fields import usual_fields


def find_fields_again(job: Job, found: DocumentClass | None) -> None:
    """Store the fields that the document has as one of this class, in the transaction that corrects it.

    `job` is as it was before. Fields that a person corrected stay as they are. A job that was canceled has no fields.
    """
    if job.state not in (states.SUCCEEDED, states.PARTIALLY_SUCCEEDED):
        return
    read = with_own_fields(usual_fields(job.id, found), _own_values(job, found))
    fields = with_corrections(read, field_corrections(job.id))
    if fields != job.fields:
        Job.objects.filter(id=job.id).update(fields=fields)


def _own_values(job: Job, found: DocumentClass | None) -> list[Mapping[str, Any]]:
    """Return the values of the own fields: those that it has, unless the class has other fields."""
    definitions = definitions_of(job.tenant_id, livemode=job.livemode)
    own = of_class(definitions, found.label if found else "")
    if own == of_class(definitions, job.class_label):
        return own_fields_in(as_read(job.fields))
    return [*values_of(results_of(job.id), own)]
