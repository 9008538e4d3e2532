"""Finds a tenant's own fields in the stored results of a document's pages."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

import structlog
from django.db import connections

from inference.own_fields.definition import OwnField
from inference.own_fields.finding import find
from jobs.corrected_results.selectors import corrections_of_pages, result_with
from jobs.fields.corrected import NO_FIELDS
from tenants.core.db.unit_of_work import current_alias

log = structlog.get_logger(__name__)

MAX_PAGES = 200
"""The most pages that are looked through for fields. The end of a longer document must not take long."""
MAX_VALUES = 1_000
"""The most values of a document. A column on many pages has many."""
_RESULTS = """
SELECT number, result FROM jobs_page
WHERE job_id = %(job)s AND state = 'succeeded' AND number <= %(last)s AND result ? 'lines'
"""
Result = Mapping[str, Any]
_NO_MORE: Mapping[int, Result] = {}


def results_of(job_id: UUID, last: int = MAX_PAGES, *, more: Mapping[int, Result] = _NO_MORE) -> list[Result | None]:
    """Return the results of the first pages, as people corrected them.

    A page without lines, or that was not read, is None. `more` are results that are not stored yet, by the number of
    their page.
    """
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(_RESULTS, {"job": job_id, "last": last})
        found = {number: json.loads(result) for number, result in cursor.fetchall()}
    for number, corrections in corrections_of_pages(job_id, last).items():
        if number in found:
            found[number] = result_with(corrections, found[number])
    found |= {number: result for number, result in more.items() if number <= last and "lines" in result}
    return [found.get(number) for number in range(1, max(found, default=0) + 1)]


def of_class(fields: Sequence[OwnField], label: str) -> list[OwnField]:
    """Return the fields that a document of this class has. The class of a document without one is empty."""
    return [field for field in fields if not field.classes or label in field.classes]


def values_of(results: Sequence[Result | None], fields: Sequence[OwnField]) -> list[dict[str, Any]]:
    """Return the values of the fields, marked as a tenant's own. A field that cannot be looked for has none."""
    found = _found(results, fields)
    if found is None:
        found = [value for field in fields for value in _found(results, [field]) or ()]
    return list(_numbered(found[:MAX_VALUES]))


def _numbered(values: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the values, with their positions where a field has several."""
    numbers = Counter(value["name"] for value in values)
    seen = Counter[str]()
    for value in values:
        name = value["name"]
        yield {**value, "own": True, **({"index": seen[name]} if numbers[name] > 1 else {})}
        seen[name] += 1


def _found(results: Sequence[Result | None], fields: Sequence[OwnField]) -> list[dict[str, Any]] | None:
    """Return what is found, or None if the search fails: the results of added models may hold anything."""
    if not fields:
        return []
    try:
        return list(find(results, fields))
    except Exception:
        log.exception("own_fields_not_found", fields=[field.name for field in fields])
        return None


def with_own_fields(fields: Result | None, own: Sequence[Result]) -> Result | None:
    """Return the fields of a document with these own fields instead of those that it had."""
    if not own and not own_fields_in(fields):
        return fields
    given = fields or NO_FIELDS
    return {**given, "fields": [*(field for field in given["fields"] if not field.get("own")), *own]}


def own_fields_in(fields: Result | None) -> list[Result]:
    """Return the own ones among the fields of a document."""
    return [] if fields is None else [field for field in fields["fields"] if field.get("own")]
