"""Test how much memory a very long job takes while it is sent."""

import tracemalloc

from jobs.results.exports.archive import Archive, archived_jobs
from tests.jobs.results.exports.conftest import ReadingDesk

PAGES = 600
TEXTS_BYTES = PAGES * 150 * 33
MAX_BYTES = 3 << 20

_READ = """
UPDATE jobs_page SET state = 'succeeded', result = jsonb_build_object('text', (
    SELECT string_agg(md5(number || ' ' || word), ' ') FROM generate_series(1, 150) AS word
)) WHERE job_id = %s
"""


def test_a_long_job_is_archived_a_few_pages_at_a_time(desk: ReadingDesk) -> None:
    job = desk.submit(pages=PAGES)
    desk.sql(_READ, job.id)
    archive = Archive(desk.identity.tenant_id, archived_jobs(desk.identity, [str(job.id)]))
    tracemalloc.start()
    try:
        sizes = [len(block) for block in archive]
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        archive.close()
    assert sum(sizes) > TEXTS_BYTES, "of three times the text, compressed to about a half"
    assert peak_bytes < MAX_BYTES, "it holds more than a few pages"
