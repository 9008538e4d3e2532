"""Lets cells follow the lines that they are made of, lines their cell, and fields the lines of their values."""

from jobs.core.models import Job, Page
from jobs.core.models.corrections import Correction
from jobs.corrected_results.selectors import corrected_lines, corrections_at
from jobs.fields.corrected import as_read, with_corrections
from jobs.fields.selectors import field_corrections
from jobs.results.corrections.places import Place, end_correction, write_correction
from jobs.results.corrections.shared_text import cell_of_line, lines_of_cell


def follow_line(job: Job, page: Page, line: int) -> None:
    """Give the cell that a line belongs to the text of its lines, as they are after a correction or without it."""
    cell = cell_of_line(page.result or {}, line)
    if cell is None:
        return
    place = Place(job, page.number, Correction.Kind.CELL, cell.index, cell.table)
    corrected = corrected_lines(corrections_at(job, page.number).get(page.number, ()))
    text = cell.text_with(corrected)
    if text != cell.text or cell.lines.keys() <= corrected.keys():
        write_correction(place, cell.text, text)
    else:
        end_correction(place)


def follow_cell(job: Job, page: Page, table: int, index: int, text: str | None) -> None:
    """Give the lines of a cell its corrected text, or take it back from them with None."""
    cell = lines_of_cell(page.result or {}, table, index)
    if cell is None:
        return
    wanted = None if text is None else cell.lines_with(text)
    for line, original in cell.lines.items():
        place = Place(job, page.number, Correction.Kind.LINE, line)
        if wanted is None:
            end_correction(place)
        else:
            write_correction(place, original, wanted[line])


def store_fields(job: Job) -> None:
    """Let lists, filters, files and answers show the fields as people corrected them and their lines.

    A job that has not ended gets its fields at its end.
    """
    if job.terminal:
        fields = with_corrections(as_read(job.fields), field_corrections(job.id))
        Job.objects.filter(id=job.id).update(fields=fields)
