"""Pages of a new job that are cache hits. They succeed when the job is accepted, in the same transaction."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from django.db import connections, transaction

from inference.core.charging import charged
from inference.registry.models import ModelVersion
from inference.runtime.parameters import validate_parameters
from jobs.charges.page_prices import price_of_hit, price_of_run
from jobs.core import states
from jobs.core.models import Document, DocumentPage, Job
from jobs.documents.content import file_content_sha256, undrawn_sha256
from jobs.events.log import Happened
from jobs.own_fields.models import OwnField
from jobs.queue.job_ends import OpenJob, Reviewed, append_and_close, counted_known, progress
from jobs.results.reuse.cached_pages import (
    HIT,
    PAGE_LOOKUPS,
    CachedPage,
    Content,
    known_pages,
    page_key,
    reuse_secret,
)
from jobs.search.services import Pair, copy_index
from tenants.authentication.selectors import results_generation
from tenants.billing.usage.services import Use, record_uses
from tenants.core.db.unit_of_work import APP
from tenants.core.ids import uuid7
from tenants.core.times import rfc3339
from tenants.plans.prices import Price, saved_micros

MAX_SEARCHED_PAGES = 10
"""The pages of a job, at most, that is searched as it is accepted. A page takes about 3 ms."""
USAGE = "cache"
"""The kind of source under which a cache hit is charged, at the model's price for cache hits."""

_INPUT = "SELECT encode(sha256(convert_to(input::text, 'UTF8')), 'hex') FROM jobs_job WHERE id = %s"

# Results stay in the database, because those of a long document would be hundreds of megabytes to transfer.
_TAKE = """
INSERT INTO jobs_page (id, tenant_id, job_id, model_version_id, number, state, attempt, worker, result, units,
                       quality, needs_review, class_probabilities, result_at, cache_key, cached, error_code,
                       error_detail, cost_micros, created_at, started_at, finished_at)
SELECT taken.id, known.tenant_id, %(job)s, %(version)s, taken.number, 'succeeded', 0, '', known.result, known.units,
       known.quality, known.needs_review, known.class_probabilities, known.result_at, taken.key, true, '',
       '', taken.cost, clock_timestamp(), clock_timestamp(), clock_timestamp()
FROM unnest(%(ids)s::uuid[], %(numbers)s::int[], %(keys)s::bytea[], %(costs)s::bigint[], %(known)s::uuid[])
     AS taken (id, number, key, cost, known)
JOIN jobs_page known ON known.id = taken.known
"""


@dataclass(frozen=True, slots=True)
class Taken:
    """A page of the new job, and the page that its result is from."""

    id: UUID
    number: int
    key: bytes
    cached: CachedPage
    price: Price
    quantity: int
    cost_micros: int
    saved_micros: int


def find_known(job: Job, numbers: Sequence[int]) -> list[Taken]:
    """Return the pages of a written job that need not be run, with equally few queries for any number."""
    version = job.model_version
    ttl_s = version.served_model.cache_ttl_s
    if job.cache_control or not ttl_s:
        return []
    keys = _keys(job, version, numbers)
    cached = known_pages([key for _, key in keys], ttl_s=ttl_s, held=True)
    found = {number: key for number, key in keys if key in cached}
    if len(found) == len(numbers) and _is_searched_long(job):
        found.pop(max(numbers))  # A worker takes it, which searches the job before it ends.
    return [_taken(job, number, key, cached[key]) for number, key in found.items()]


def _is_searched_long(job: Job) -> bool:
    """Return whether the search for classes and own fields would hold up the transaction that accepts the job."""
    if job.pages_total <= MAX_SEARCHED_PAGES:
        return False
    return bool(job.class_set) or OwnField.objects.filter(livemode=job.livemode).exists()


def _taken(job: Job, number: int, key: bytes, cached: CachedPage) -> Taken:
    own, review = Price.from_json(job.price), Price.from_json(job.review_price or job.price)
    needs_review = cached.flags.needs_review
    price = price_of_hit(Price.from_json(job.cached_price or job.price), review, needs_review=needs_review)
    of_run = price_of_run(own, review, needs_review=needs_review)
    quantity = charged(cached.units, price.meter)
    cost = saved = 0
    if job.livemode:
        cost = price.cost_micros(quantity)
        in_a_run = charged(cached.units, of_run.meter)
        saved = saved_micros(of_run, in_a_run, cost_micros=cost, currency=price.currency)
    return Taken(uuid7(), number, key, cached, price, quantity, cost, saved)


def take_known(job: Job, taken: Sequence[Taken]) -> None:
    """Write results, charges, events and, with the last page, the job's end. `job` is then as it is in the database."""
    _write_pages(job, taken)
    pairs = [Pair(page.id, page.number, page.cached.id) for page in taken]
    copy_index(job, pairs)
    _record_uses(job, taken)
    counts = counted_known(
        job.id,
        Reviewed.of(*(page.cached.flags for page in taken)),
        pages=len(taken),
        coalesced=0,
        oldest=min(page.cached.result_at for page in taken),
        cost=sum(page.cost_micros for page in taken),
    )
    append_and_close(counts, _happened(counts, taken), accepting=True)
    count = PAGE_LOOKUPS.labels(model=job.model_version.engine_key, outcome=HIT)
    transaction.on_commit(partial(count.inc, len(taken)), using=APP)
    job.refresh_from_db(fields=_CHANGED)


def _record_uses(job: Job, taken: Sequence[Taken]) -> None:
    """Record the use of each page. Pages that a person must check may have a price of their own."""
    for price in dict.fromkeys(page.price for page in taken):
        record_uses(
            tenant_id=job.tenant_id,
            source_kind=USAGE,
            model=job.model_version.served_model.name,
            version=job.model_version.number,
            price=price,
            livemode=job.livemode,
            uses=[
                Use(page.id, page.quantity, page.cost_micros, page.saved_micros)
                for page in taken
                if page.price == price
            ],
            key_id=job.api_key_id,
            cached=True,
        )


_CHANGED = [
    "state",
    "pages_succeeded",
    "pages_cached",
    "oldest_result_at",
    "pages_to_review",
    "quality",
    "class_label",
    "class_probabilities",
    "class_corrected",
    "cost_micros",
    "last_seq",
    "started_at",
    "finished_at",
]


def _happened(job: OpenJob, taken: Sequence[Taken]) -> list[Happened]:
    before = job.pages_done - len(taken)
    return [
        Happened(
            "page.succeeded",
            {**progress(job, page.number, states.SUCCEEDED), "pages_done": done, **said_of(page.cached)},
        )
        for done, page in enumerate(taken, before + 1)
    ]


def said_of(cached: CachedPage) -> dict[str, object]:
    """Return the fields of an event about a page that was not run."""
    taken = {"cached": True, "from_job": str(cached.job_id), "result_at": rfc3339(cached.result_at)}
    return {**cached.flags.event_data(), **taken}


def _write_pages(job: Job, taken: Sequence[Taken]) -> None:
    values: dict[str, Any] = {
        "job": job.id,
        "version": job.model_version_id,
        "ids": [page.id for page in taken],
        "numbers": [page.number for page in taken],
        "keys": [page.key for page in taken],
        "costs": [page.cost_micros for page in taken],
        "known": [page.cached.id for page in taken],
    }
    with connections[APP].cursor() as cursor:
        cursor.execute(_TAKE, values)
        if cursor.rowcount != len(taken):
            raise LookupError(f"of {len(taken)} known pages {cursor.rowcount} are there")


def _keys(job: Job, version: ModelVersion, numbers: Sequence[int]) -> list[tuple[int, bytes]]:
    """Return the keys with their page numbers. A page that was never opened has none: its content is not known.

    A page with text of its own has two: its result depends on the text alone, or on the picture as well.
    """
    secret, generation = reuse_secret(), results_generation(job.tenant_id)
    parameters = validate_parameters(version.runtime, job.parameters, version.config)
    return [
        (
            number,
            page_key(
                secret=secret,
                tenant_id=job.tenant_id,
                generation=generation,
                livemode=job.livemode,
                digest=version.digest,
                parameters=parameters,
                content=content,
            ),
        )
        for number, content in _contents(job, numbers)
    ]


def _contents(job: Job, numbers: Sequence[int]) -> Iterator[tuple[int, Content]]:
    document = job.document
    if document is None:
        content = Content("input", _input_sha256(job))
        yield from ((number, content) for number in numbers)
    elif document.kind == Document.Kind.TEXT:
        content = Content("text_file", document.sha256)
        yield from ((number, content) for number in numbers)
    elif document.kind not in Document.PICTURED:
        yield from ((number, Content("page", file_content_sha256(document.sha256, number))) for number in numbers)
    else:
        yield from _contents_of_pages(document, set(numbers))


def _contents_of_pages(document: Document, numbers: Set[int]) -> Iterator[tuple[int, Content]]:
    opened = DocumentPage.objects.filter(document_id=document.id).exclude(content_sha256="").order_by("number")
    columns = ("number", "content_sha256", "width_px", "height_px", "text_layer__isnull")
    for number, sha256, width_px, height_px, is_picture in opened.values_list(*columns):
        if number in numbers:
            yield number, Content("page", sha256)
            if not is_picture:
                yield number, Content("page", undrawn_sha256(document.sha256, number, width_px, height_px))


def _input_sha256(job: Job) -> str:
    """Return the hash of the input as Postgres stores it and workers get it, where 1e2 is 100."""
    with connections[APP].cursor() as cursor:
        cursor.execute(_INPUT, [job.id])
        return str(cursor.fetchone()[0])
