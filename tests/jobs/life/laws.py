"""The rules that hold for jobs and pages at every moment, and for their changes from one moment to the next."""

from collections import Counter
from uuid import UUID

from django.conf import settings

from jobs.core import states
from jobs.core.models import Event, Job, Page
from tests.jobs.life.books import Books, columns

QUEUED, RUNNING, CANCELED = states.QUEUED, states.RUNNING, states.CANCELED
ENDS = states.TERMINAL
PAGE_MOVES = {
    QUEUED: {RUNNING, CANCELED},
    RUNNING: {QUEUED, states.SUCCEEDED, states.FAILED, CANCELED},
}
JOB_MOVES = {
    QUEUED: {RUNNING, CANCELED},
    RUNNING: {states.SUCCEEDED, states.PARTIALLY_SUCCEEDED, states.FAILED, CANCELED},
}
LONGEST_WAIT_S = 76.0
"""The longest time in seconds of any back-off, any wait for another page's result and any message under way."""
A_MOMENT_S = 30.0
"""Seconds that are more than any back-off of a page that has tries left, and less than a wait for another page's
result.
"""
FORGOTTEN = frozenset({"cache_key"})
"""The columns that an erasure clears in a page that has ended, so that other pages no longer find its result."""


def check(books: Books) -> None:
    for job in books.jobs.values():
        pages, events = books.pages_of[job.id], books.events_of[job.id]
        _job_is_what_its_pages_make_it(job, books.count(job.id), pages)
        _log_is_whole(job, events)
        _log_tells_the_states(job, pages, events)
    for page in books.pages.values():
        _page_is_sound(page, books.jobs[page.job_id])
        _charged_once(page, books)
    _one_run_of_a_key(books)
    _whoever_waits_is_woken(books)
    assert max(books.due_in_s.values(), default=0) < LONGEST_WAIT_S


def _job_is_what_its_pages_make_it(job: Job, count: Counter[str], pages: list[Page]) -> None:
    assert count.total() == job.pages_total
    assert (job.pages_succeeded, job.pages_failed) == (count[states.SUCCEEDED], count[states.FAILED])
    assert job.pages_cached == sum(page.cached for page in pages)
    assert job.pages_coalesced <= job.pages_cached
    assert job.cost_micros == sum(page.cost_micros for page in pages)
    if job.state == CANCELED:
        assert count[QUEUED] == count[RUNNING] == 0
        assert count[CANCELED] > 0
    else:
        assert count[CANCELED] == 0
        tally = states.Tally(job.pages_total, job.pages_succeeded, job.pages_failed)
        closed = states.closing_state(tally)
        assert job.state == closed if closed else job.state in states.UNFINISHED
    assert (job.finished_at is not None) == job.terminal
    assert job.state != QUEUED or count[RUNNING] == 0


def _log_is_whole(job: Job, events: list[Event]) -> None:
    """Check that the events, in the order of the tenant's stream, are numbered from 1 without a gap, and that one end
    comes last.
    """
    assert [event.seq for event in events] == list(range(1, job.last_seq + 1))
    ends = [event.seq for event in events if event.type in {f"job.{end}" for end in ENDS}]
    assert ends == ([job.last_seq] if job.terminal else [])


def _log_tells_the_states(job: Job, pages: list[Page], events: list[Event]) -> None:
    """Check that a client that has read every event knows the states in the rows."""
    told = {event.data["page"]: event.data["state"] for event in events if event.type.startswith("page.")}
    for page in pages:
        if page.state != CANCELED and not _is_taken_over(page):
            assert told.get(page.number, QUEUED) == page.state
    assert [event.data["state"] for event in events if event.type.startswith("job.")][-1] == job.state


def _page_is_sound(page: Page, job: Job) -> None:
    assert 0 <= page.attempt <= settings.MAAS_MAX_ATTEMPTS
    assert (page.lease_until is not None) == (page.state == RUNNING)
    assert (page.finished_at is not None) == (page.state in ENDS)
    assert (page.result is not None) == (page.state == states.SUCCEEDED)
    if page.state == QUEUED:
        assert page.attempt < settings.MAAS_MAX_ATTEMPTS, "no worker could ever claim it"
        assert (page.lease_token, page.cache_key) == (None, None)
        assert not job.terminal
    if page.state == RUNNING:
        assert page.lease_token is not None
        assert job.state == RUNNING


def _charged_once(page: Page, books: Books) -> None:
    """Check that a page that succeeded here is charged once, at the cost that it states. Nothing else is charged, nor
    what an earlier job has paid.
    """
    charges = [(use.source_kind, use.amount_micros) for use in books.usage_of[page.id]]
    if page.state == states.SUCCEEDED and not _is_taken_over(page):
        assert charges == [("cache" if page.cached else "page", page.cost_micros)]
    else:
        assert (charges, page.cost_micros) == ([], 0)


def _is_taken_over(page: Page) -> bool:
    """Return whether a retry took the page over from the job before it. Such a page was never claimed here and never
    looked up.
    """
    return page.state == states.SUCCEEDED and page.attempt == 0 and not page.cached


def _one_run_of_a_key(books: Books) -> None:
    running = [page for page in books.pages.values() if page.state == RUNNING]
    tokens = [page.lease_token for page in running]
    keys = [bytes(page.cache_key) for page in running if page.cache_key is not None]
    assert len(set(tokens)) == len(tokens)
    assert len(set(keys)) == len(keys)


def _whoever_waits_is_woken(books: Books) -> None:
    """Check that a page that waits for more than a moment waits for a page that runs and that will release it."""
    awaited = {bytes(page.cache_key) for page in books.pages.values() if page.awaited and page.cache_key}
    for page_id in [page_id for page_id, due_in_s in books.due_in_s.items() if due_in_s > A_MOMENT_S]:
        waits_for = books.pages[page_id].waits_for
        assert waits_for is not None
        assert bytes(waits_for) in awaited


def check_moves(before: Books, after: Books) -> None:
    """Check that no row disappears, that nothing that has ended changes, and that every change is an allowed one."""
    assert before.jobs.keys() <= after.jobs.keys()
    assert before.pages.keys() <= after.pages.keys()
    for old_job in before.jobs.values():
        job = after.jobs[old_job.id]
        assert job.state == old_job.state or job.state in JOB_MOVES[old_job.state]
        assert not old_job.terminal or columns(job) == columns(old_job)
    for old_page in before.pages.values():
        _page_moved(old_page, after.pages[old_page.id])
    _added(_rows(before), _rows(after))


def _page_moved(old: Page, page: Page) -> None:
    assert page.state == old.state or page.state in PAGE_MOVES[old.state]
    assert page.attempt - old.attempt in (-1, 0, 1)
    assert page.lease_token is None or old.lease_token is None or page.lease_token >= old.lease_token
    if old.state in ENDS:
        assert columns(page, but=FORGOTTEN) == columns(old, but=FORGOTTEN)
        assert page.cache_key in (None, old.cache_key)


def _rows(books: Books) -> dict[UUID | int, tuple[object, ...]]:
    return {row.pk: columns(row) for row in [*books.events, *books.usage]}


def _added(before: dict[UUID | int, tuple[object, ...]], after: dict[UUID | int, tuple[object, ...]]) -> None:
    """Check that events and charges stay as they were written."""
    assert before.items() <= after.items()
