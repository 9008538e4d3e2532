"""Searches the pages that bench_search has created, and prints how long each kind took."""

import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from uuid import UUID

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "maas.settings")
django.setup(set_prefix=False)

from inference.core.contracts import Embedding  # noqa: E402  Only once Django is set up.
from jobs.search.meaning import nearest  # noqa: E402
from jobs.search.page_hits import PageFilters, pages_about, pages_with  # noqa: E402
from jobs.search.queries import parsed  # noqa: E402
from jobs.search.selectors import search_jobs  # noqa: E402
from tenants.core.db.unit_of_work import unit_of_work  # noqa: E402
from tests.benchmarks.bench_search import DIGEST, DIMENSIONS, HUGE  # noqa: E402

ROUNDS = 15
EVERY_PAGE, LIMIT = PageFilters(), 21
"""What `GET /v1/search` reads for its first 20 hits."""
TENANTS = {"huge": UUID(HUGE), "small": UUID("00000000-0000-7000-8000-000000000007")}


def word(number: int) -> str:
    return "w" + str(number).translate(str.maketrans("0123456789", "abcdefghij"))


QUESTIONS = {
    "on nearly every page": f"{word(1)} ",
    "on every 5th page": f"{word(25)} ",
    "on every 200th page": f"{word(1000)} ",
    "on a few pages": f"{word(45_000)} ",
    "beginning of a word": word(104),
    "two letters, typed on": "wb",
    "two common words": f"{word(2)} {word(3)} ",
    "common and rare word": f"{word(1)} {word(45_000)} ",
    "common, without common": f"{word(25)} -{word(26)}",
    "nowhere": "absent ",
}


def times_ms(tenant_id: UUID, search: Callable[[], Sequence[object]]) -> tuple[int, list[float]]:
    taken, found = [], 0
    for _ in range(ROUNDS):
        with unit_of_work(tenant_id):
            started = time.perf_counter()
            found = len(search())
            taken.append((time.perf_counter() - started) * 1000)
    return found, taken


def report(tenant: str, tenant_id: UUID) -> None:
    somewhere = Embedding(DIGEST, tuple(float(n % 7 - 3) for n in range(DIMENSIONS)))
    searches = {kind: partial(search_jobs, words) for kind, words in QUESTIONS.items()}
    pages = {kind: partial(pages_with, parsed(words), EVERY_PAGE, None, LIMIT) for kind, words in QUESTIONS.items()}
    show(tenant, tenant_id, "jobs", {**searches, "by meaning": partial(nearest, somewhere, limit=50)})
    show(tenant, tenant_id, "pages", {**pages, "by meaning": partial(pages_about, somewhere, EVERY_PAGE, None, LIMIT)})


def show(tenant: str, tenant_id: UUID, what: str, searches: Mapping[str, Callable[[], Sequence[object]]]) -> None:
    for kind, search in searches.items():
        found, taken = times_ms(tenant_id, search)
        p50, p95 = statistics.median(taken), statistics.quantiles(taken, n=20)[-1]
        print(f"{tenant:<6} {kind:<24} {found:>5} {what:<5}  p50 {p50:8.1f} ms   p95 {p95:8.1f} ms", flush=True)


if __name__ == "__main__":
    for tenant, tenant_id in TENANTS.items():
        report(tenant, tenant_id)
