import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import InterfaceError, OperationalError, connections, transaction

from jobs.documents.job_selectors import StreamRow, job_events_after, tenant_events_after
from jobs.events.log import append_event
from tenants.core.db.unit_of_work import APP, unit_of_work
from tenants.core.errors import InvalidRequest, NotFound
from tenants.identity.identity import Identity
from tests.jobs.conftest import Desk
from tests.waiting import eventually


def read_all(desk: Desk, cursor: str) -> list[tuple[str, int]]:
    """Read until nothing is pending, and return the job and number of each event."""
    seen: list[tuple[str, int]] = []
    while True:
        page = tenant_events_after(desk.identity, cursor, limit=3)
        seen += [(str(event.job_id), event.seq) for event in page.events]
        cursor = page.cursor
        if not page.pending:
            return seen


def test_the_stream_gives_every_event_once_and_in_order(desk: Desk) -> None:
    start = tenant_events_after(desk.identity, None).cursor
    jobs = [desk.submit(pages=2) for _ in range(3)]
    for job in jobs:
        for page in desk.pages(job):
            desk.finish(page)
    expected = {(str(job.id), seq) for job in jobs for seq in range(1, 8)}
    seen = read_all(desk, start)
    assert set(seen) == expected
    assert len(seen) == len(expected)
    for job in jobs:
        numbers = [seq for job_id, seq in seen if job_id == str(job.id)]
        assert numbers == sorted(numbers)


def test_reading_can_go_on_from_any_event(desk: Desk) -> None:
    start = tenant_events_after(desk.identity, None).cursor
    for page in desk.pages(desk.submit(pages=3)):
        desk.finish(page)
    everything = read_all(desk, start)
    some = tenant_events_after(desk.identity, start, limit=4).events
    assert read_all(desk, some[2].cursor) == everything[3:]


def test_an_event_that_commits_late_is_not_skipped(desk: Desk) -> None:
    """The early transaction gets its position in the order first and commits last."""
    early, late = desk.submit(), desk.submit()
    cursor = tenant_events_after(desk.identity, None).cursor
    may_commit, written = threading.Event(), threading.Event()

    def slow() -> None:
        with unit_of_work(desk.identity.tenant_id):
            append_event(early.id, "test.early", {})
            written.set()
            may_commit.wait(10)
        connections.close_all()

    thread = threading.Thread(target=slow)
    thread.start()
    assert written.wait(10)
    with unit_of_work(desk.identity.tenant_id):
        append_event(late.id, "test.late", {})
    while_open = tenant_events_after(desk.identity, cursor)
    assert "test.late" not in [event.type for event in while_open.events]
    assert while_open.pending
    may_commit.set()
    thread.join()
    tail = read_all(desk, while_open.cursor)
    assert tail[-2:] == [(str(early.id), 2), (str(late.id), 2)]


def test_a_writer_that_stands_still_holds_up_the_stream_for_seconds_and_not_for_a_lease(desk: Desk) -> None:
    """A process that is frozen or cut off in the middle of a transaction does this."""
    stuck, moving = desk.submit(), desk.submit()
    cursor = tenant_events_after(desk.identity, None).cursor
    wakes, written = threading.Event(), threading.Event()

    def stand_still() -> None:
        try:
            with unit_of_work(desk.identity.tenant_id):
                append_event(stuck.id, "test.stuck", {})
                written.set()
                wakes.wait(60)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as other:
        ended = other.submit(stand_still)
        assert written.wait(10)
        with unit_of_work(desk.identity.tenant_id):
            append_event(moving.id, "test.moving", {})
        try:
            eventually(lambda: "test.moving" in types_after(desk, cursor), "the event", 20)
        finally:
            wakes.set()
        assert "test.stuck" not in types_after(desk, cursor)
        # The error is like that of a database that is away, so that the caller tries again and no traceback is shown.
        with pytest.raises((OperationalError, InterfaceError)):
            ended.result()


def types_after(desk: Desk, cursor: str) -> list[str]:
    return [event.type for event in tenant_events_after(desk.identity, cursor).events]


def test_one_tenants_stream_holds_nothing_of_another(desk: Desk, other_identity: Identity) -> None:
    cursor = tenant_events_after(other_identity, None).cursor
    desk.submit()
    assert tenant_events_after(other_identity, cursor).events == []


def test_a_jobs_events_can_be_read_on_from_any_number(desk: Desk) -> None:
    job = desk.submit(pages=2)
    desk.finish(desk.pages(job)[0])
    tail = job_events_after(desk.identity, job.id, 2)
    assert [event.seq for event in tail] == [3, 4]


def test_a_number_that_no_event_has_yet_is_told(desk: Desk) -> None:
    """A client that continues from there would wait forever, and miss the events until then."""
    job = desk.submit()
    assert job_events_after(desk.identity, job.id, 1) == []
    with pytest.raises(InvalidRequest, match="Its last event is 1") as raised:
        job_events_after(desk.identity, job.id, 2)
    assert raised.value.code == "invalid_cursor"


def test_anothers_job_has_no_events_to_show(desk: Desk, other_identity: Identity) -> None:
    with pytest.raises(NotFound):
        job_events_after(other_identity, desk.submit().id, 0)


@pytest.mark.parametrize(
    "cursor",
    ["", "x", "1", "1-", "-1-1", "1-1; DROP TABLE jobs_event", "9" * 40 + "-1", f"{2**64}-0", f"1-{2**63}"],
)
def test_what_is_no_cursor_is_refused(desk: Desk, cursor: str) -> None:
    with pytest.raises(InvalidRequest, match="not a cursor"):
        tenant_events_after(desk.identity, cursor)


def test_a_cursor_of_the_database_before_a_restore_is_refused_not_waited_for(desk: Desk) -> None:
    """A restored database numbers its transactions anew, and old numbers would miss the new events."""
    xid, _, row = tenant_events_after(desk.identity, None).cursor.partition("-")
    with pytest.raises(InvalidRequest, match="not a cursor"):
        tenant_events_after(desk.identity, f"{int(xid) + 10**6}-{row}")


def test_from_now_on_begins_at_an_event_and_not_at_a_number_that_a_crash_of_the_database_gives_out_again(
    desk: Desk,
) -> None:
    """The database uses transaction numbers again after a crash if they never reached a disk."""
    identity = desk.identity
    assert tenant_events_after(identity, None).cursor == "0-0"
    desk.submit()
    # Transactions of other tests may still run, and only events older than those are delivered.
    last = eventually(lambda: tenant_events_after(identity, "0-0").events, "the first event")[-1].cursor
    for _ in range(3):
        with transaction.atomic(using=APP), connections[APP].cursor() as cursor:
            cursor.execute("SELECT pg_current_xact_id()")
            transaction.set_rollback(True, using=APP)
    assert tenant_events_after(identity, None).cursor == last
    second = desk.submit()
    then = eventually(lambda: tenant_events_after(identity, last).events, "the second event")
    assert {event.job_id for event in then} == {second.id}


def test_an_event_rolled_back_was_never_there(desk: Desk) -> None:
    job = desk.submit()
    with unit_of_work(desk.identity.tenant_id):
        append_event(job.id, "test.undone", {})
        transaction.set_rollback(True, using=APP)
    assert [event.seq for event in job_events_after(desk.identity, job.id, 0)] == [1]


def test_an_event_of_whoever_waited_for_the_job_comes_after_those_it_waited_for(desk: Desk) -> None:
    """The early transaction gets its number first and the job's row last. Any number may be read at a time."""
    job = desk.submit()
    cursor = tenant_events_after(desk.identity, None).cursor
    begun, may_append = threading.Event(), threading.Event()

    def slow() -> None:
        with unit_of_work(desk.identity.tenant_id):
            with connections[APP].cursor() as sql:
                sql.execute("SELECT pg_current_xact_id()")
            begun.set()
            may_append.wait(10)
            append_event(job.id, "test.waited", {})
        connections.close_all()

    thread = threading.Thread(target=slow)
    thread.start()
    assert begun.wait(10)
    with unit_of_work(desk.identity.tenant_id):
        append_event(job.id, "test.held", {})
    may_append.set()
    thread.join()
    seen = [event.type for event in heard_of_tests(desk, cursor, 2)]
    assert seen == ["test.held", "test.waited"]


def heard_of_tests(desk: Desk, cursor: str, count: int) -> list[StreamRow]:
    """Return `count` events of this test once they are delivered, which other tests' transactions may delay."""

    def heard() -> list[StreamRow] | None:
        found = [event for event in read_singly(desk, cursor) if event.type.startswith("test.")]
        return found if len(found) >= count else None

    return eventually(heard, f"{count} events")


def read_singly(desk: Desk, cursor: str) -> list[StreamRow]:
    """Read one event at a time. Each read continues after the event before."""
    seen: list[StreamRow] = []
    while True:
        page = tenant_events_after(desk.identity, cursor, limit=1)
        seen += page.events
        cursor = page.cursor
        if not page.pending:
            return seen


def test_many_that_write_of_one_job_at_once_are_heard_in_the_order_of_their_numbers(desk: Desk) -> None:
    """Transactions write events of several jobs, some with a number long before they hold the second row."""
    jobs = [desk.submit() for _ in range(2)]
    cursor = tenant_events_after(desk.identity, None).cursor

    def write(_: int) -> None:
        for _ in range(10):
            with unit_of_work(desk.identity.tenant_id):
                for job in jobs:
                    append_event(job.id, "test.both", {})
            with unit_of_work(desk.identity.tenant_id):
                append_event(jobs[1].id, "test.one", {})
        connections.close_all()

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(write, range(4)))
    heard = heard_of_tests(desk, cursor, 120)
    for job, count in zip(jobs, (40, 80), strict=True):
        assert [event.seq for event in heard if event.job_id == job.id] == list(range(2, count + 2))
