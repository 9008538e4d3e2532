"""Corrects the fields of documents, adds those that were missed, and says which are not there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inference.fields.document import TYPES
from inference.fields.normalizing import EXAMPLES, possible_dates
from jobs.core.document_class import DOCUMENT
from jobs.core.errors import NotRead
from jobs.core.models import Job
from jobs.core.models.corrections import Correction
from jobs.documents.job_selectors import get_job, get_job_page
from jobs.fields.corrected import NO_FIELDS, Fields, as_read, normalized_in, with_corrections
from jobs.fields.selectors import field_corrections
from jobs.own_fields.names import known_types
from jobs.results.corrections.places import Place, undo_correction, write_correction
from jobs.results.corrections.services import LONGEST_LINE, checked_line
from jobs.results.pictures.turns import corners_of
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest, NotFound
from tenants.identity.identity import Identity

NOT_THERE = ""


@dataclass(frozen=True)
class FieldPlace:
    """The place where a person saw a field. Without one, it is the place where it was read."""

    page: int | None = None
    box: Any = None


def correct_field(
    *, identity: Identity, job_id: object, name: str, value: str | None, place: FieldPlace | None = None
) -> Correction:
    """Correct a field or add a missed one. With None as `value`, the document has no such field."""
    with unit_of_work(identity):
        job = get_job(job_id, for_update=True)
        read = _read_fields(job)
        before = _field(read, name)
        kind = _type_of(name, job.fields, read)
        _require_single(read, name, value)
        wanted = NOT_THERE if value is None else checked_line(value, "value", LONGEST_LINE)
        if wanted:
            _require_type(kind, wanted, read["fields"])
        details = {"type": kind, "own": name not in TYPES, **_placed(job, place or FieldPlace())}
        original = before["value"] if before else NOT_THERE
        made = write_correction(_place(job, name), original, wanted, details)
        _store(job)
    return made


def undo_field(*, identity: Identity, job_id: object, name: str) -> None:
    with unit_of_work(identity):
        job = get_job(job_id, for_update=True)
        undo_correction(_place(job, name))
        _store(job)


def _place(job: Job, name: str) -> Place:
    return Place(job, DOCUMENT, Correction.Kind.FIELD, name=name)


def _read_fields(job: Job) -> Fields:
    if not job.terminal:
        raise NotRead(f"The job is {job.state}. Its fields can be corrected when it has ended.")
    return as_read(job.fields) or NO_FIELDS


def _field(found: Fields, name: str) -> Mapping[str, Any] | None:
    return next((field for field in found["fields"] if field["name"] == name), None)


def _type_of(name: str, stored: Fields | None, read: Fields) -> str:
    found = [*read["fields"], *(stored or NO_FIELDS)["fields"]]
    types: dict[str, str] = {**known_types(), **{field["name"]: field["type"] for field in found}}
    if name not in types:
        raise NotFound(f"There is no field {name[:60]!r}. The fields are: {', '.join(types)}.")
    return types[name]


def _require_single(read: Fields, name: str, value: str | None) -> None:
    """Refuse a single value for a column of values, which would lose the others."""
    number = sum(field["name"] == name for field in read["fields"])
    if number > 1 and value is not None:
        raise InvalidRequest(f"The field {name!r} has {number} values here. Only null, which removes all, is possible.")


def _require_type(kind: str, value: str, fields: Sequence[Mapping[str, Any]]) -> None:
    """Refuse a value that is none of its type. A date may be ambiguous, as it may be on the page."""
    if kind not in EXAMPLES or normalized_in(fields, kind, value) is not None:
        return
    if kind != "date" or not possible_dates(value):
        raise InvalidRequest(f"`value` is {value[:60]!r}, but must be {EXAMPLES[kind]}.")


def _placed(job: Job, place: FieldPlace) -> dict[str, Any]:
    if place.page is not None:
        get_job_page(job, place.page)
    if place.box is not None and place.page is None:
        raise InvalidRequest("`box` needs the number of its `page`.")
    corners = corners_of(place.box)
    if place.box is not None and corners is None:
        raise InvalidRequest("`box` must have four corners, such as [[10, 10], [90, 10], [90, 30], [10, 30]].")
    return {"page": place.page or 1, "box": None if corners is None else [list(corner) for corner in corners]}


def _store(job: Job) -> None:
    """Let lists, filters, files and answers show the corrected fields."""
    fields = with_corrections(as_read(job.fields), field_corrections(job.id))
    Job.objects.filter(id=job.id).update(fields=fields)
