"""Adds to pages that were found what is shown of them: the text around the words, and where the words stand.

Call these functions inside a unit of work.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connections
from django.db.models import Q

from jobs.core.models import Correction, Job
from jobs.corrected_results.applying import Corrected, corrected_result
from jobs.results.pictures.turns import Corners, corners_of
from jobs.results.result_json import picture_path
from jobs.search.excerpts import excerpt_of, lines_with_matches
from jobs.search.page_hits import PageHit
from jobs.search.queries import Query
from jobs.search.services import name_of, text_of
from jobs.search.words import MAX_WORDS
from tenants.core.db.unit_of_work import APP, current_tenant_id

MAX_CHARACTERS = 200_000
"""The most characters of a page's text from which an excerpt is cut."""
MAX_LINES_CHARACTERS = 500_000
"""The longest JSON of a page's lines that is read for their boxes. A newspaper page has some 100,000 characters."""
MAX_WORDS_OF_ALL = 100_000
"""The most words of all hits together in which they are looked for, as this takes the web process's own time. It is a
thousand words of each page for the most hits that can be shown.
"""
MAX_BOXES = 100

Key = tuple[UUID, int]
"""The job and the page number."""

_PAGES = """
SELECT p.job_id, p.number, jsonb_build_object(
    'text', left(p.result ->> 'text', %(characters)s),
    'lines', CASE WHEN length(p.result ->> 'lines') <= %(lines)s THEN p.result -> 'lines' END,
    'rotation', coalesce(p.result -> 'rotation', '0'),
    'angle', coalesce(p.result -> 'angle', '0'),
    'sheet', p.result -> 'sheet')
FROM unnest(%(jobs)s::uuid[], %(numbers)s::int[]) AS wanted (job_id, number)
JOIN jobs_page p ON p.tenant_id = %(tenant)s AND p.job_id = wanted.job_id AND p.number = wanted.number
"""


@dataclass(frozen=True, slots=True)
class Excerpt:
    text: str
    marks: Sequence[tuple[int, int]]
    """The start and end of each found word."""


@dataclass(frozen=True, slots=True)
class ShownHit:
    hit: PageHit
    job: Job
    excerpt: Excerpt
    boxes: Sequence[Corners] | None
    """The boxes of the lines that have the words. It is None if the lines of the page have no boxes."""
    picture: str | None


def shown_hits(hits: Sequence[PageHit], query: Query) -> list[ShownHit]:
    """Return the hits in the same order. A hit whose job is erased in this moment is left out."""
    jobs = _jobs(hits)
    results = _results(hits)
    max_words = min(MAX_WORDS, MAX_WORDS_OF_ALL // max(1, len(hits)))
    return [
        _shown(hit, jobs[hit.job_id], results.get((hit.job_id, hit.number), {}), query, max_words)
        for hit in hits
        if hit.job_id in jobs
    ]


def _shown(hit: PageHit, job: Job, result: Mapping[str, Any], query: Query, max_words: int) -> ShownHit:
    if not hit.number:
        return ShownHit(hit, job, _excerpt(name_of(job), query, max_words), None, None)
    excerpt = _excerpt(text_of(result), query, max_words)
    return ShownHit(hit, job, excerpt, _boxes(result, query, max_words), picture_path(job, hit.number, result))


def _jobs(hits: Sequence[PageHit]) -> Mapping[UUID, Job]:
    jobs = Job.objects.filter(id__in={hit.job_id for hit in hits}, erased_at=None, document__deleted_at=None)
    return {job.id: job for job in jobs.select_related("document", "model_version__served_model").defer("input")}


def _results(hits: Sequence[PageHit]) -> Mapping[Key, Mapping[str, Any]]:
    """Return the needed fields of the pages' results, as people corrected them."""
    on_pages = [hit for hit in hits if hit.number]
    if not on_pages:
        return {}
    values: dict[str, int | UUID | list[UUID] | list[int]] = {
        "characters": MAX_CHARACTERS,
        "lines": MAX_LINES_CHARACTERS,
        "jobs": [hit.job_id for hit in on_pages],
        "numbers": [hit.number for hit in on_pages],
        "tenant": current_tenant_id(),
    }
    with connections[APP].cursor() as cursor:
        cursor.execute(_PAGES, values)
        rows = cursor.fetchall()
    corrections = _corrections(on_pages)
    return {
        (job_id, number): corrected_result(json.loads(result), corrections.get((job_id, number), {}))
        for job_id, number, result in rows
    }


def _corrections(hits: Sequence[PageHit]) -> Mapping[Key, Corrected]:
    pages = Q(job_id__in={hit.job_id for hit in hits}, number__in={hit.number for hit in hits})
    rows = Correction.objects.filter(pages, kind=Correction.Kind.LINE, ended_at=None)
    found = defaultdict[Key, dict[int, str]](dict)
    for job_id, number, index, text in rows.values_list("job_id", "number", "index", "corrected"):
        found[job_id, number][index] = text
    return found


def _excerpt(text: str, query: Query, max_words: int) -> Excerpt:
    """Join the parts of the excerpt, and return where the marked ones stand in it."""
    marks, size = [], 0
    parts = excerpt_of(text, query, max_words)
    for part in parts:
        if part.marked:
            marks.append((size, size + len(part.text)))
        size += len(part.text)
    return Excerpt("".join(part.text for part in parts), marks)


def _boxes(result: Mapping[str, Any], query: Query, max_words: int) -> Sequence[Corners] | None:
    given = result.get("lines")
    lines = [line if isinstance(line, Mapping) else {} for line in given] if isinstance(given, list) else []
    boxes = [corners_of(line.get("box")) for line in lines]
    if not any(boxes):
        return None
    texts = [text if isinstance(text := line.get("text"), str) else "" for line in lines]
    found = lines_with_matches(texts, query, max_words) if query.wanted else []
    return [box for index in found if (box := boxes[index]) is not None][:MAX_BOXES]
