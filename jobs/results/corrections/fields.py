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
from jobs.fields.corrected import NO_FIELDS, Fields, as_read, normalized_in
from jobs.own_fields.names import known_types
from jobs.results.corrections.following import store_fields
from jobs.results.corrections.places import Place, undo_correction, write_correction
from jobs.results.corrections.services import LONGEST_LINE, checked_line, checked_lines
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
    *,
    identity: Identity,
    job_id: object,
    name: str,
    value: str | None,
    place: FieldPlace | None = None,
    index: int | None = None,
) -> Correction:
    """Correct a field or add a missed one. With None as `value`, the document has no such field.

    `index` is the position of the value if the field has several. Without it, None removes all of them.
    """
    with unit_of_work(identity):
        job = get_job(job_id, for_update=True)
        read = _read_fields(job)
        kind = _type_of(name, job.fields, read)
        original = _original(read, name, value, index)
        wanted = NOT_THERE if value is None else _checked_value(value, kind)
        if wanted:
            _require_type(kind, wanted, read["fields"])
        details = {"type": kind, "own": name not in TYPES, "index": index, **_placed(job, place or FieldPlace())}
        made = write_correction(_place(job, name, index), original, wanted, details)
        store_fields(job)
    return made


def undo_field(*, identity: Identity, job_id: object, name: str, index: int | None = None) -> None:
    with unit_of_work(identity):
        job = get_job(job_id, for_update=True)
        undo_correction(_place(job, name, index))
        store_fields(job)


def _place(job: Job, name: str, index: int | None) -> Place:
    return Place(job, DOCUMENT, Correction.Kind.FIELD, index or 0, name=name)


def _read_fields(job: Job) -> Fields:
    if not job.terminal:
        raise NotRead(f"The job is {job.state}. Its fields can be corrected when it has ended.")
    return as_read(job.fields) or NO_FIELDS


def _type_of(name: str, stored: Fields | None, read: Fields) -> str:
    found = [*read["fields"], *(stored or NO_FIELDS)["fields"]]
    types: dict[str, str] = {**known_types(), **{field["name"]: field["type"] for field in found}}
    if name not in types:
        raise NotFound(f"There is no field {name[:60]!r}. The fields are: {', '.join(types)}.")
    return types[name]


def _original(read: Fields, name: str, value: str | None, index: int | None) -> str:
    """Return the value that was read. A single value in the place of several is refused: it would lose the others."""
    values = [field["value"] for field in read["fields"] if field["name"] == name]
    if index is not None and index >= max(1, len(values)):
        raise NotFound(f"The field {name!r} has no value {index}. It has {len(values)}, counted from 0.")
    if index is None and value is not None and len(values) > 1:
        raise InvalidRequest(f"The field {name!r} has {len(values)} values here. Say which with `index`, from 0.")
    return values[index or 0] if values else NOT_THERE


def _checked_value(value: str, kind: str) -> str:
    """Return a value as it may be written: a text has several lines if it is an address."""
    check = checked_lines if kind == "text" else checked_line
    return check(value, "value", LONGEST_LINE)


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
