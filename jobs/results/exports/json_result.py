"""Exports a job's result as in `/v1/jobs/{id}/result`, page by page. To save memory, the pages are read a second time
for the whole text at the end.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from jobs.class_sets.selectors import page_classes
from jobs.core.document_class import DOCUMENT
from jobs.corrected_results.selectors import corrections_of
from jobs.results.exports.job_export import JobExport
from jobs.results.result_json import corrections_json, page_json, result_head
from tenants.api.rendering import TimedJSONRenderer
from tenants.core.db.unit_of_work import unit_of_work


def json_blocks(export: JobExport) -> Iterator[bytes]:
    with unit_of_work(export.job.tenant_id):
        classes, segments = page_classes(export.job)
    yield _rendered({**result_head(export.job, segments), "missing": export.missing})[:-1] + b',"pages":['
    with_text: set[int] = set()
    before: Mapping[str, Any] | None = None
    for position, page in enumerate(export.read()):
        if position == 0:
            before = export.before(page)
        shown = page_json(page.page, export.job, page.corrections, before=before, classes=classes)
        yield (b",\n" if position else b"\n") + _rendered(shown)
        before = page.page.result
        if page.result.get("text"):
            with_text.add(page.number)
    yield b'\n],"text":"'
    for position, text in enumerate(export.texts(with_text)):
        yield (rb"\n\n" if position else b"") + _rendered(text)[1:-1]
    yield b'"' + _corrections(export) + b"}\n"


def _corrections(export: JobExport) -> bytes:
    """Return the corrections of the whole document as the rest of an object, if there are any."""
    with unit_of_work(export.job.tenant_id):
        found = corrections_json(corrections_of(export.job, last=DOCUMENT).get(DOCUMENT, ()))
    return b"," + _rendered(found)[1:-1] if found else b""


def _rendered(value: Any) -> bytes:
    return bytes(TimedJSONRenderer().render(value))
