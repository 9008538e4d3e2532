"""Tests of the export as chunks: what each line says about its place."""

import json
import tracemalloc
from typing import Any

from jobs.core.models import Job
from jobs.results.exports.services import CHUNKS
from tests.jobs.results.exports.conftest import HEIGHT, WIDTH, ReadingDesk, box, line
from tests.jobs.results.exports.test_page_blocks import BLOCKS, PARAGRAPH, result

MAX_BYTES = 3 << 20


def chunks(desk: ReadingDesk, job: Job) -> list[dict[str, Any]]:
    return [json.loads(row) for row in desk.exported(job, CHUNKS).splitlines()]


def test_a_chunk_says_where_it_is_from(desk: ReadingDesk) -> None:
    job = desk.submit(pages=3)
    desk.answer(job, 1, result(width=WIDTH, height=HEIGHT))
    desk.read(job, 3, line("Bye", box(0, 0, 200)))
    (chunk,) = chunks(desk, job)
    pages = chunk.pop("pages")
    assert chunk == {
        "object": "chunk",
        "number": 1,
        "job": str(job.id),
        "document": str(job.document_id),
        "name": "a.pdf",
        "text": f"Report\n\n{PARAGRAPH}\n\nBye",
        "words": 14,
        "headings": [],
    }
    assert pages == [
        {"number": 1, "width": WIDTH, "height": HEIGHT, "blocks": [0, 1], "boxes": [BLOCKS[0]["box"]]},
        {"number": 3, "width": WIDTH, "height": HEIGHT, "blocks": [], "boxes": [box(0, 0, 200)]},
    ]


def test_a_job_without_text_has_no_chunks(desk: ReadingDesk) -> None:
    job = desk.submit(pages=2)
    desk.answer(job, 1, {"embedding": [0.5]})
    assert chunks(desk, job) == []


def test_values_of_any_type_are_left_out(desk: ReadingDesk) -> None:
    job = desk.submit()
    desk.answer(job, 1, {"text": "Hello", "lines": 3, "blocks": {"a": 1}, "width": "wide", "height": True})
    (chunk,) = chunks(desk, job)
    assert chunk["pages"] == [{"number": 1, "width": None, "height": None, "blocks": [], "boxes": []}]


_READ = """
UPDATE jobs_page SET state = 'succeeded', result = jsonb_build_object('text', (
    SELECT string_agg(md5(number || ' ' || word), ' ') FROM generate_series(1, 150) AS word
)) WHERE job_id = %s
"""


def test_a_long_job_is_cut_a_few_pages_at_a_time(desk: ReadingDesk) -> None:
    job = desk.submit(pages=600)
    desk.sql(_READ, job.id)
    tracemalloc.start()
    try:
        made = desk.exported(job, CHUNKS)
        peak_bytes = tracemalloc.get_traced_memory()[1] - len(made)
    finally:
        tracemalloc.stop()
    assert made.count(b"\n") == 300
    assert peak_bytes < MAX_BYTES, "it holds more than a few pages"
