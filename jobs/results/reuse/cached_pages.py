"""Finds cached pages, whose results exist already. Call these functions inside a unit of work."""

import hmac
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.conf import settings
from django.db import connections
from prometheus_client import Counter

from inference.core.contracts import Units
from jobs.core.reading_flags import ReadingFlags, flags_of_columns
from tenants.core.db.unit_of_work import APP, current_tenant_id

HIT, MISS, COALESCED = "hit", "miss", "coalesced"
PAGE_LOOKUPS = Counter(
    "maas_page_lookups_total",
    "Cache lookups for the results of pages, by outcome.",
    ["model", "outcome"],
)


FORMAT = 1
"""The number of the format, raised by a change that gives a page another result with the same version."""

Kind = Literal["page", "text_file", "input"]


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a page, in whichever document it is. No model gets the page's number or the document's name."""

    kind: Kind
    """The content: `page` is a picture and its text, `text_file` is one text, `input` was sent with the job."""
    sha256: str


def page_key(
    *,
    secret: bytes,
    tenant_id: UUID,
    generation: int,
    livemode: bool,
    digest: str,
    parameters: Mapping[str, Any],
    content: Content,
) -> bytes:
    """Return the key of a page. `digest` is the model version's; `parameters` have their defaults filled in.

    The tenant keeps tenants apart, and the secret hides what keys stand for. Test and live keys share nothing. Pages of
    an earlier `generation` of the tenant's results are not found any more.
    """
    known_by = [FORMAT, str(tenant_id), livemode, digest, dict(parameters), content.kind, content.sha256]
    if generation:
        # It is left out if nothing was ever erased, because processes of an older version have no generations.
        known_by.append(generation)
    written = json.dumps(known_by, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hmac.digest(secret, written.encode(), "sha256")


_PURPOSE = b"known pages"


def reuse_secret() -> bytes:
    """Return a secret that reveals nothing about API keys. A new pepper forgets all cached pages."""
    return hmac.digest(settings.MAAS_KEY_PEPPER.encode(), _PURPOSE, "sha256")


# Each key takes one index lookup, however many pages share it: the newest result comes first in the index.
_FIND = """
SELECT sought.key, known.id, known.job_id, known.result_at, known.units, known.quality, known.needs_review,
    known.class_probabilities
FROM unnest(%(keys)s::bytea[]) AS sought (key)
CROSS JOIN LATERAL (
    SELECT id, job_id, result_at, units::text, quality, needs_review, class_probabilities::text FROM jobs_page
    WHERE tenant_id = %(tenant)s AND cache_key = sought.key AND state = 'succeeded'
      AND result_at > clock_timestamp() - make_interval(secs => %(ttl_s)s)
    ORDER BY result_at DESC LIMIT 1 {held}
) known
"""
_KNOWN = _FIND.format(held="")
# A page that is being erased at this moment is skipped, and a page that is found is not erased before the transaction
# ends.
_KNOWN_AND_HELD = _FIND.format(held="FOR KEY SHARE SKIP LOCKED")
_HOLD = "SELECT FROM jobs_page WHERE id = %s FOR KEY SHARE"


@dataclass(frozen=True, slots=True)
class CachedPage:
    """A page that succeeded, and the units that its result took, for this page or for the page it is from."""

    id: UUID
    job_id: UUID
    result_at: datetime
    units: Units
    flags: ReadingFlags = field(default_factory=ReadingFlags)


def known_pages(keys: Collection[bytes], *, ttl_s: int, held: bool = False) -> dict[bytes, CachedPage]:
    """Return the cached pages by key, if their results are not older than `ttl_s`. This is one statement."""
    if not keys or not ttl_s:
        return {}
    values: dict[str, Any] = {"keys": list(set(keys)), "tenant": current_tenant_id(), "ttl_s": ttl_s}
    with connections[APP].cursor() as cursor:
        cursor.execute(_KNOWN_AND_HELD if held else _KNOWN, values)
        return {bytes(row[0]): _page(row[1:]) for row in cursor.fetchall()}


def known_page(key: bytes, *, ttl_s: int) -> CachedPage | None:
    return known_pages([key], ttl_s=ttl_s).get(key)


def hold(page_id: UUID) -> bool:
    """Keep a page from being erased until the transaction ends. Return False if the page is erased already."""
    with connections[APP].cursor() as cursor:
        cursor.execute(_HOLD, [page_id])
        return cursor.fetchone() is not None


def _page(row: Sequence[Any]) -> CachedPage:
    page_id, job_id, result_at, units, quality, needs_review, probabilities = row
    flags = flags_of_columns(quality, needs_review, probabilities and json.loads(probabilities))
    return CachedPage(page_id, job_id, result_at, Units(**json.loads(units)), flags)
