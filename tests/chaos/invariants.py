"""Checks what must hold after any accident, from the state in the database and the API. The checks are pure."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from jobs.core.states import SUCCEEDED, TERMINAL

from .books import Books, Broken, Happening, Job, Posted, Use
from .other_work import broken_batches, broken_calls

_OF_PAGES = {"page", "cache"}


def broken_promises(books: Books) -> list[Broken]:
    uses = defaultdict(list)
    for use in books.uses:
        if use.kind in _OF_PAGES:
            uses[use.source_id].append(use)
    found = [*_acceptance(books), *_charges_of_nothing(books, uses), *_days(books), *_sums(books), *ledger(books)]
    found += [*broken_batches(books), *broken_calls(books), *_wishes(books)]
    for job in books.jobs.values():
        found += [*_end(job), *_charges(job, uses), *_log(job), *_attempts(job, books.max_attempts)]
        found += _shown(job, books)
    return found


def ledger(books: Books) -> Iterator[Broken]:
    """Check that the books balance, the wallet is their sum, each ended job was settled once, and nothing is held for
    it.
    """
    if books.money is None:
        return
    sums: dict[str, int] = defaultdict(int)
    settled: dict[str, list[Posted]] = defaultdict(list)
    for one in books.money.posted:
        if sum(one.entries.values()):
            yield Broken("ledger", f"{one.kind} of {one.source_kind} {one.source_id} does not come to 0")
        for account, micros in one.entries.items():
            sums[account] += micros
        if one.source_kind == "job" and one.kind in {"charge", "release"}:
            settled[one.source_id].append(one)
    wallet = (books.money.available_micros, books.money.held_micros)
    if wallet != (sums["credit"], sums["held"]):
        yield Broken("wallet", f"it has {wallet}, its entries come to {sums['credit'], sums['held']}")
    used = sum(use.amount_micros for use in books.uses)
    if sums["revenue"] != used:
        yield Broken("revenue", f"{sums['revenue']} were charged, the usage rows come to {used}")
    for job in books.jobs.values():
        yield from _settled(job, settled[job.id])
    if books.money.held_micros and all(job.state in TERMINAL for job in books.jobs.values()):
        yield Broken("held", f"{books.money.held_micros} are held, and every job has ended")


def _settled(job: Job, found: Sequence[Posted]) -> Iterator[Broken]:
    wanted = int(job.state in TERMINAL)
    if len(found) != wanted:
        yield Broken("settled", f"the job is {job.state} and was settled {len(found)} times", job.id)
    charged = sum(one.entries.get("revenue", 0) for one in found)
    if found and charged != job.cost_micros:
        yield Broken("settled", f"the job costs {job.cost_micros}, {charged} were charged", job.id)


def _acceptance(books: Books) -> Iterator[Broken]:
    for key in books.unanswered:
        yield Broken("refused", f"key {key} was sent again and again, and never accepted")
    known: set[str] = set()
    for key, ids in books.accepted.items():
        known.update(ids)
        if len(set(ids)) > 1:
            yield Broken("doubled", f"key {key} was answered with {sorted(set(ids))}", ids[0])
        for job_id in set(ids) - books.jobs.keys():
            yield Broken("lost", f"accepted under key {key}, and in no table", job_id)
    for job_id in books.jobs.keys() - known:
        if not books.unanswered:
            yield Broken("doubled", "there is a job that no key was answered with", job_id)


def _end(job: Job) -> Iterator[Broken]:
    if job.state not in TERMINAL:
        pages = ", ".join(f"{page.number} {page.state} (attempt {page.attempt})" for page in job.pages)
        yield Broken("lost", f"accepted, and still {job.state}; pages: {pages}", job.id)
    for page in job.pages:
        if (job.state in TERMINAL) != (page.state in TERMINAL):
            yield Broken("ends", f"job {job.state}, page {page.number} {page.state}", job.id)
    succeeded = sum(page.state == SUCCEEDED for page in job.pages)
    if succeeded != job.pages_succeeded:
        yield Broken("counters", f"{succeeded} pages succeeded, the job counts {job.pages_succeeded}", job.id)


def _charges(job: Job, uses: Mapping[str, Sequence[Use]]) -> Iterator[Broken]:
    for page in job.pages:
        rows, wanted = uses.get(page.id, ()), int(page.state == SUCCEEDED)
        if len(rows) != wanted:
            rule = "charged twice" if len(rows) > wanted else "not charged"
            yield Broken(rule, f"page {page.number} is {page.state} and has {len(rows)} usage rows", job.id)
    charged = sum(use.amount_micros for page in job.pages for use in uses.get(page.id, ()))
    if charged != job.cost_micros:
        yield Broken("cost", f"the job costs {job.cost_micros}, its usage rows come to {charged}", job.id)


def _charges_of_nothing(books: Books, uses: Mapping[str, Sequence[Use]]) -> Iterator[Broken]:
    pages = {page.id for job in books.jobs.values() for page in job.pages}
    for source_id in uses.keys() - pages:
        yield Broken("charged twice", f"a usage row is for {source_id}, which is no page")


def _wishes(books: Books) -> Iterator[Broken]:
    """Check that nothing ends in a way that was not requested: `canceled` without a cancel, or `failed` without an
    error.
    """
    for key, ids in books.accepted.items():
        job = books.jobs.get(ids[0]) if ids else None
        order = books.orders.get(key)
        if job and order and job.state in TERMINAL and job.state not in order.ends:
            yield Broken("ends", f"it {job.state}, where {sorted(order.ends)} were asked for", job.id)


def _days(books: Books) -> Iterator[Broken]:
    rows = sum(use.amount_micros for use in books.uses)
    if rows != books.day_micros:
        yield Broken("days", f"usage by day comes to {books.day_micros}, its rows to {rows}")


def _sums(books: Books) -> Iterator[Broken]:
    if books.miscounted:
        yield Broken("sums", f"{books.miscounted} sums of waiting pages or of the ledger's days are wrong")


def _log(job: Job) -> Iterator[Broken]:
    numbers = [event.seq for event in job.events]
    if numbers != list(range(1, len(numbers) + 1)):
        yield Broken("events", f"numbered {numbers}", job.id)
    ends = [event.type for event in job.events if event.ends_job]
    if job.state in TERMINAL and (ends != [f"job.{job.state}"] or not job.events[-1].ends_job):
        yield Broken("events", f"the job is {job.state}, its log ends with {ends or 'no end'}", job.id)
    told = sum(event.type == "page.succeeded" for event in job.events)
    if told != job.pages_succeeded:
        yield Broken("events", f"{told} page.succeeded, {job.pages_succeeded} pages succeeded", job.id)


def _attempts(job: Job, most: int) -> Iterator[Broken]:
    for page in job.pages:
        runs = _runs([event for event in job.events if event.data.get("page") == page.number])
        if max(runs, page.attempt) > most:
            yield Broken("attempts", f"page {page.number} ran {runs} times, {most} are allowed", job.id)


def _runs(events: Sequence[Happening]) -> int:
    """Return the number of runs without those that were given back unfinished, which do not count."""
    begun = sum(event.type == "page.running" for event in events)
    given_back = sum(event.type == "page.requeued" and "reason" in event.data for event in events)
    postponed = sum(event.type == "page.retrying" and "attempt" not in event.data for event in events)
    return begun - given_back - postponed


def _shown(job: Job, books: Books) -> Iterator[Broken]:
    if job.id not in books.seen:
        return
    seen = books.seen[job.id]
    if seen is None:
        yield Broken("lost", "the API does not show it", job.id)
    elif (seen.state, seen.cost_micros) != (job.state, job.cost_micros):
        said = f"{seen.state} for {seen.cost_micros}"
        yield Broken("shown", f"the API says {said}, the table {job.state} for {job.cost_micros}", job.id)
    elif list(seen.events) != [(event.seq, event.type) for event in job.events]:
        yield Broken("shown", f"the API's events {list(seen.events)} are not the table's", job.id)
