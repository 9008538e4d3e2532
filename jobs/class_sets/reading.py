"""Reads the features of pages from their stored results. An added model may return anything, and it must not matter."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import connections

from inference.class_sets.page_features import PageFeatures, features_of
from tenants.core.db.unit_of_work import current_alias

LEARNED_PAGES = 3
"""The first pages with text of a document, which decide its class. Examples are learned from the same pages."""
SOUGHT_PAGES = 10
"""The pages of a document among which these are, as some may be blank."""
JOBS_AT_ONCE = 20
"""The jobs that are read with one query. PostgreSQL ends a transaction that computes for seconds between queries."""
MAX_CHARACTERS = 20_000
MAX_LINES = 500

# Only what is looked at leaves the database. Of tables, this is their number.
_PAGES = """
SELECT job_id, number, jsonb_build_object(
    'text', left(result ->> 'text', %(characters)s),
    'lines', result -> 'lines',
    'blocks', result -> 'blocks',
    'width', result -> 'width',
    'height', result -> 'height',
    'tables', CASE jsonb_typeof(result -> 'tables') WHEN 'array' THEN jsonb_array_length(result -> 'tables') END
)::text
FROM jobs_page
WHERE job_id = ANY(%(jobs)s) AND number <= %(last)s AND state = 'succeeded' AND jsonb_typeof(result) = 'object'
  AND result ? 'text'
ORDER BY job_id, number
"""
Pages = Mapping[int, PageFeatures]
"""The features of pages by their number."""


def stored_pages(job_id: UUID, last: int) -> dict[int, str]:
    """Return what is looked at of the read pages up to a number. Call this inside a unit of work.

    Their features, which take a while, are read from it after that.
    """
    return {number: result for _, number, result in _stored([job_id], last)}


def deciding_pages_of(job_ids: Sequence[UUID]) -> dict[UUID, list[PageFeatures]]:
    """Return the pages that decide the class of each job's document. Call this inside a unit of work."""
    found: dict[UUID, list[PageFeatures]] = {job_id: [] for job_id in job_ids}
    for start in range(0, len(job_ids), JOBS_AT_ONCE):
        for job_id, _, result in _stored(job_ids[start : start + JOBS_AT_ONCE], SOUGHT_PAGES):
            if len(found[job_id]) < LEARNED_PAGES and (page := page_features(json.loads(result))).has_text:
                found[job_id].append(page)
    return found


def deciding_pages(pages: Pages) -> list[PageFeatures]:
    """Return those of a document's pages that decide its class."""
    return [page for _, page in sorted(pages.items()) if page.has_text][:LEARNED_PAGES]


def _stored(job_ids: Sequence[UUID], last: int) -> Iterator[tuple[UUID, int, str]]:
    """Yield the jobs, numbers and results of pages in order."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(_PAGES, {"jobs": list(job_ids), "last": last, "characters": MAX_CHARACTERS})
        yield from cursor


def page_features(result: Mapping[str, Any]) -> PageFeatures:
    """Return the features of a page. A result that is not like those of the built-in models counts by its text."""
    tables, text = result.get("tables"), result.get("text")
    plain = {"text": text if isinstance(text, str) else ""}
    lines, blocks = result.get("lines"), result.get("blocks")
    whole = {
        **result,
        **plain,
        "lines": lines[:MAX_LINES] if isinstance(lines, list) else [],
        "blocks": blocks[:MAX_LINES] if isinstance(blocks, list) else [],
        "tables": [None] * tables if isinstance(tables, int) else [],
    }
    try:
        return features_of(whole)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return features_of(plain)
