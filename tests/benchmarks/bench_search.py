"""Time a search among a million pages, for one tenant with most of them and for one of many small tenants.

Run from the repository's root: python -m tests.benchmarks.bench_search [pages]. It fills its own database.
"""

import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import psycopg

from tests.services import RunServices, without_product

PAGES = 1_000_000
SMALL_TENANTS = 1_000
WORDS_A_PAGE = 60
VOCABULARY = 50_000
"""The number of words. Word n occurs 1/n as often as word 1, as in natural language, so word 1 is on nearly every
page.
"""
HUGE = "00000000-0000-7000-8000-0000ffffffff"
SIZED = ("jobs_pagetext", "jobs_pagetext_words", "jobs_pageembedding")

# The huge tenant has every second page, and four fifths of these in books of 500.
FILL = f"""
SET session_replication_role = replica;
SET work_mem = '256MB';
INSERT INTO jobs_pagetext (id, tenant_id, job_id, number, words)
SELECT gen_random_uuid(), tenant, job, page,
       (SELECT array_to_tsvector(array_agg(DISTINCT right(tenant::text, 8) || 'w' || letters(n)))
        FROM (SELECT floor(exp(random() * ln({VOCABULARY})))::int AS n FROM generate_series(1, {WORDS_A_PAGE})
              WHERE place > 0) drawn)
FROM (
    SELECT place,
           CASE WHEN mod(place, 2) = 0 THEN '{HUGE}'
                ELSE '00000000-0000-7000-8000-0000' || lpad(to_hex(mod(place / 2, {SMALL_TENANTS})), 8, '0') END::uuid,
           (lpad(to_hex(CASE WHEN in_book THEN place / 1000 * 1000 ELSE place END), 12, '0')
               || '70008000000000000000')::uuid,
           CASE WHEN in_book THEN mod(place, 1000) / 2 + 1 ELSE 1 END
    FROM (SELECT place, mod(place, 2) = 0 AND mod(place / 1000, 10) < 8 AS in_book
          FROM generate_series(%(first)s, %(last)s) AS place) AS places
) AS made (place, tenant, job, page)
"""
# The search for pages asks whether their job is erased.
FILL_JOBS = """
INSERT INTO jobs_job (
    id, tenant_id, model_version_id, parameters, state, pages_total, pages_succeeded, pages_failed, price, cost_micros,
    currency, error_code, error_detail, livemode, request_id, last_seq)
SELECT DISTINCT ON (job_id) job_id, tenant_id, 1, '{}'::jsonb, 'succeeded', 1, 1, 0, '{}'::jsonb, 0,
       'EUR', '', '', true, '', 1
FROM jobs_pagetext
"""
# The words consist of letters only, because a word with digits in it would be split in two.
LETTERS = """
CREATE FUNCTION letters(n int) RETURNS text LANGUAGE sql IMMUTABLE AS
    $$ SELECT translate(n::text, '0123456789', 'abcdefghij') $$
"""
STEP = 100_000

EMBEDDED_PAGES = 200_000
"""Pages with embeddings. Half of them belong to the huge tenant, like all pages here."""
DIMENSIONS = 384
DIGEST = "d" * 64
FILL_EMBEDDINGS = f"""
INSERT INTO jobs_pageembedding (page_id, tenant_id, job_id, number, digest, embedding)
SELECT id, tenant_id, job_id, number, '{DIGEST}',
       (SELECT array_agg(random() - 0.5) FROM generate_series(1, {DIMENSIONS}) WHERE number > 0)::real[]::halfvec
FROM (SELECT * FROM jobs_pagetext LIMIT {EMBEDDED_PAGES}) AS pages
"""


def fill(connection: psycopg.Connection, pages: int) -> None:
    connection.execute(LETTERS)
    connection.execute("DROP INDEX jobs_pagetext_words")
    for first in range(1, pages + 1, STEP):
        connection.execute(FILL % {"first": first, "last": min(first + STEP - 1, pages)})
    connection.execute("SET maintenance_work_mem = '1GB'")
    connection.execute("CREATE INDEX jobs_pagetext_words ON jobs_pagetext USING gin (words) WITH (fastupdate = off)")
    connection.execute(FILL_EMBEDDINGS)
    connection.execute(FILL_JOBS)
    connection.execute("VACUUM ANALYZE jobs_pagetext, jobs_pageembedding, jobs_job")


@contextmanager
def million_pages(pages: int) -> Iterator[dict[str, str]]:
    """Fill a database, and yield the variables that connect the product to it."""
    services = RunServices()
    services.start()
    try:
        address = services.address()
        address.create_database(0)
        url = address.superuser_url.replace("/postgres?", "/maas_0?")
        with psycopg.connect(url, autocommit=True) as connection:
            fill(connection, pages)
            for name in SIZED:
                size = "SELECT pg_size_pretty(pg_table_size(%s::regclass))"
                print(f"{name}: {(connection.execute(size, [name]).fetchone() or '?')[0]}")
        yield without_product(os.environ) | address.environment(0)
    finally:
        services.stop()


def main() -> None:
    pages = int(sys.argv[1]) if len(sys.argv) > 1 else PAGES
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {datetime.now(UTC):%F}")
    started = time.perf_counter()
    with million_pages(pages) as variables:
        print(f"{pages:,} pages written and indexed in {time.perf_counter() - started:.0f} s", flush=True)
        subprocess.run([sys.executable, "-m", "tests.benchmarks.search_times"], env=variables, check=True)


if __name__ == "__main__":
    main()
