"""Tells how many pages wait for each version, from sums that triggers write: no page is read, however many wait."""

import structlog
from django.db import connections

from tenants.core.db.unit_of_work import OPERATOR, operator_work

log = structlog.get_logger(__name__)
MAX_LINES = 100
"""The most lines of a version's sum before they are folded into one."""

# One statement sees one snapshot. A page that changes in the meantime adds a line of its own.
_FOLD = """
WITH long AS (
    SELECT model_version_id FROM jobs_queuedpages GROUP BY model_version_id HAVING count(*) > %s
), folded AS (
    DELETE FROM jobs_queuedpages WHERE ctid = ANY (ARRAY(
        SELECT line.ctid FROM jobs_queuedpages line JOIN long USING (model_version_id)
        FOR UPDATE OF line SKIP LOCKED
    )) RETURNING model_version_id, pages
)
INSERT INTO jobs_queuedpages (model_version_id, pages)
SELECT model_version_id, sum(pages) FROM folded GROUP BY model_version_id HAVING sum(pages) <> 0
"""
_SUMS = "SELECT model_version_id, sum(pages)::bigint FROM jobs_queuedpages GROUP BY model_version_id"
_CORRECT = """
WITH counted AS (
    SELECT model_version_id, sum(pages)::bigint AS pages FROM jobs_queuedpages GROUP BY model_version_id
), there AS (
    SELECT model_version_id, count(*) AS pages FROM jobs_page WHERE state = 'queued' GROUP BY model_version_id
), wrong AS (
    SELECT model_version_id, coalesce(there.pages, 0) AS there, coalesce(counted.pages, 0) AS counted
    FROM there FULL JOIN counted USING (model_version_id)
    WHERE coalesce(there.pages, 0) <> coalesce(counted.pages, 0)
), corrected AS (
    INSERT INTO jobs_queuedpages (model_version_id, pages) SELECT model_version_id, there - counted FROM wrong
)
SELECT model_version_id, there, counted FROM wrong
"""


def queued_pages() -> dict[int, int]:
    """Return how many pages wait, by the id of their version. Versions without any may be missing."""
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_FOLD, [MAX_LINES])
        cursor.execute(_SUMS)
        return dict(cursor.fetchall())


def correct_queued_pages() -> int:
    """Compare the sums with the pages themselves, correct wrong ones, and return how many were wrong."""
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_CORRECT)
        wrong = cursor.fetchall()
    for version_id, there, counted in wrong:
        log.error("queued_pages_corrected", model_version_id=version_id, queued=there, counted=counted)
    return len(wrong)
