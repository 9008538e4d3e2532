"""Corrects lines, cells and classes of results, and undoes that."""

from collections.abc import Collection, Mapping
from typing import Any

from jobs.class_sets.selectors import classified, labels_of_job, page_classes
from jobs.core import states
from jobs.core.document_class import DOCUMENT, UNSURE, USUAL_LABELS
from jobs.core.errors import NotRead
from jobs.core.models import Job, Page
from jobs.core.models.corrections import Correction
from jobs.core.reading_flags import is_label
from jobs.corrected_results.applying import corrected_result
from jobs.corrected_results.selectors import corrected_lines, corrections_of
from jobs.documents.job_selectors import get_job, get_job_page
from jobs.queue.document_classes import class_of_document
from jobs.results.corrections.fields_of_class import find_fields_again
from jobs.results.corrections.following import follow_cell, follow_line, store_fields
from jobs.results.corrections.places import Place, undo_correction, write_correction
from jobs.results.page_tables import page_tables
from jobs.search.services import PageRef, reindex_page, text_of
from jobs.search.words import vector_of
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest, NotFound
from tenants.identity.identity import Identity

LONGEST_LINE = 2_000
LONGEST_LABEL = 60


def correct_line(*, identity: Identity, job_id: object, number: int, index: int, text: str) -> Correction:
    """Correct a line of a page, or confirm it with the same text. A cell that is made of it follows."""
    with unit_of_work(identity):
        job = get_job(job_id, for_update=True)
        page = _read_page(job, number)
        original = _line(page, index)
        wanted = checked_line(text, "text", LONGEST_LINE)
        made = write_correction(Place(job, number, Correction.Kind.LINE, index), original, wanted)
        follow_line(job, page, index)
        _show_everywhere(job, page)
    return made


def correct_cell(*, identity: Identity, job_id: object, number: int, table: int, index: int, text: str) -> Correction:
    """Correct a cell of a table, or confirm it with the same text. A cell may be emptied. Its lines follow."""
    with unit_of_work(identity):
        job = get_job(job_id, for_update=True)
        page = _read_page(job, number)
        original, wanted = _cell(page, table, index), _checked_cell(text)
        made = write_correction(Place(job, number, Correction.Kind.CELL, index, table), original, wanted)
        follow_cell(job, page, table, index, wanted)
        _show_everywhere(job, page)
    return made


def correct_class(*, identity: Identity, job_id: object, number: int, label: str) -> Correction:
    """Correct the class of a page, or that of the whole document for page number 0."""
    with unit_of_work(identity):
        job = get_job(job_id, for_update=True)
        if number == DOCUMENT:
            original, known = _read_class(job), _labels_of_document(job)
        else:
            result = _read_page(job, number).result or {}
            original, known = _read_page_class(job, number, result), _labels(result)
        own = labels_of_job(job)
        wanted = _chosen(label, own or [*known, *USUAL_LABELS])
        made = write_correction(Place(job, number, Correction.Kind.CLASS), original, wanted)
        _decide_class(job)
    return made


def undo_line(*, identity: Identity, job_id: object, number: int, index: int) -> None:
    with unit_of_work(identity):
        job = get_job(job_id, for_update=True)
        page = _read_page(job, number)
        _line(page, index)
        undo_correction(Place(job, number, Correction.Kind.LINE, index))
        follow_line(job, page, index)
        _show_everywhere(job, page)


def undo_cell(*, identity: Identity, job_id: object, number: int, table: int, index: int) -> None:
    with unit_of_work(identity):
        job = get_job(job_id, for_update=True)
        page = _read_page(job, number)
        _cell(page, table, index)
        undo_correction(Place(job, number, Correction.Kind.CELL, index, table))
        follow_cell(job, page, table, index, None)
        _show_everywhere(job, page)


def undo_class(*, identity: Identity, job_id: object, number: int) -> None:
    with unit_of_work(identity):
        job = get_job(job_id, for_update=True)
        if number != DOCUMENT:
            get_job_page(job, number)
        undo_correction(Place(job, number, Correction.Kind.CLASS))
        _decide_class(job)


def _read_page(job: Job, number: int) -> Page:
    page = get_job_page(job, number)
    if page.state != states.SUCCEEDED:
        raise NotRead(f"Page {number} is {page.state}. Only a page that has succeeded can be corrected.")
    return page


def _line(page: Page, index: int) -> str:
    lines = (page.result or {}).get("lines")
    if not isinstance(lines, list) or not lines:
        raise NotFound(f"Page {page.number} has no lines.")
    if index >= len(lines):
        raise NotFound(f"Page {page.number} has no line {index}. Its last line is {len(lines) - 1}.")
    text = lines[index].get("text") if isinstance(lines[index], Mapping) else None
    return text if isinstance(text, str) else ""


def _cell(page: Page, table: int, index: int) -> str:
    found = next((one.table for one in page_tables(page.result or {}) if one.index == table), None)
    if found is None:
        raise NotFound(f"Page {page.number} has no table {table}.")
    if index >= len(found.cells):
        raise NotFound(f"Table {table} of page {page.number} has no cell {index}. Its last is {len(found.cells) - 1}.")
    return found.cells[index].text


def _read_class(job: Job) -> str:
    """Return the class of the document as it was read."""
    own = classified(job.id) if job.class_set else None
    if own is not None:
        return own.label
    return job.document_class.read_label if job.document_class else ""


def _read_page_class(job: Job, number: int, result: Mapping[str, Any]) -> str:
    found = page_classes(job)[0].get(number)
    return found["label"] if found else _label(result)


def _decide_class(job: Job) -> None:
    """Let lists, filters and answers show the corrected class, and find the fields that such a document has.

    A job that has not ended gets its class at its end. A job that ended without a class, since it was canceled, gets
    one only by a correction.
    """
    if not job.terminal:
        return
    found = class_of_document(job.id, job.class_set)
    has_class = found is not None and (found.corrected or job.class_probabilities is not None)
    label, corrected = (found.label, found.corrected) if found and has_class else ("", False)
    if (label, corrected) != (job.class_label, job.class_corrected):
        Job.objects.filter(id=job.id).update(class_label=label, class_corrected=corrected)
        find_fields_again(job, found if has_class else None)


def _label(result: Mapping[str, Any]) -> str:
    found = result.get("class")
    label = found.get("label") if isinstance(found, Mapping) else None
    return label[:LONGEST_LABEL] if isinstance(label, str) else ""


def _labels(result: Mapping[str, Any]) -> Collection[str]:
    """Return the labels that the model gives a probability. Results of earlier versions have scores instead."""
    match result.get("class"):
        case {"probabilities": dict(shares)} | {"scores": dict(shares)}:
            return [label for label in shares if is_label(label)]
    return ()


def _labels_of_document(job: Job) -> Collection[str]:
    found = class_of_document(job.id, job.class_set)
    return found.probabilities.keys() if found else ()


def _chosen(label: str, known: Collection[str]) -> str:
    """Return the label if it is one that a person may choose: of the class set, else of the model or a usual one."""
    wanted = label.strip()
    choices = [one for one in dict.fromkeys(known) if one != UNSURE]
    if wanted not in choices:
        raise InvalidRequest(f"`label` must be one of: {', '.join(choices)}.")
    return wanted


def checked_line(text: str, field: str, longest: int) -> str:
    wanted = text.strip()
    if not wanted or len(wanted) > longest or not wanted.isprintable():
        raise InvalidRequest(f"`{field}` must have 1 to {longest} printable characters in a single line.")
    return wanted


def checked_lines(text: str, field: str, longest: int) -> str:
    """Return a text that may have several lines, such as an address."""
    wanted = "\n".join(line.strip() for line in text.strip().split("\n"))
    if not wanted or len(wanted) > longest or not all(map(str.isprintable, wanted.split("\n"))):
        raise InvalidRequest(f"`{field}` must have 1 to {longest} printable characters. Line breaks are allowed.")
    return wanted


def _checked_cell(text: str) -> str:
    wanted = text.strip()
    if len(wanted) > LONGEST_LINE or not all(map(str.isprintable, wanted.split("\n"))):
        raise InvalidRequest(f"`text` must have at most {LONGEST_LINE} printable characters. Line breaks are allowed.")
    return wanted


def _show_everywhere(job: Job, page: Page) -> None:
    """Let the page be found by its corrected words, and the fields of the document have them."""
    store_fields(job)
    corrected = corrected_lines(corrections_of(job, page.number, page.number).get(page.number, ()))
    text = text_of(corrected_result(page.result or {}, corrected))
    reindex_page(PageRef(page.tenant_id, job.id, page.id, page.number), vector_of(page.tenant_id, text))
