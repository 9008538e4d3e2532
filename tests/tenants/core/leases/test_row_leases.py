"""Tests of leases, on rows of a table that has them. No process works on these rows, because they are done."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar
from uuid import uuid4

import pytest
from django.db import connections, transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from jobs.batches.models import Batch, BatchTask
from jobs.batches.states import COMPLETED, DONE
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.core.leases.row_leases import FREE, first_unlocked, release, renew, sweep, take, unlocked
from tenants.onboarding.create_tenant import CreatedTenant

T = TypeVar("T")
Rows = QuerySet[BatchTask]
ROWS = 6


@pytest.fixture
def rows(tenant: CreatedTenant) -> Iterator[Rows]:
    with operator_work():
        batch = Batch.objects.create(
            tenant_id=tenant.tenant.id, input_file_id=uuid4(), status=COMPLETED, expires_at=Now()
        )
        for number in reversed(range(ROWS)):
            BatchTask.objects.create(tenant_id=batch.tenant_id, batch=batch, number=number, state=DONE)
        yield batch.tasks.order_by("number")


def taken(rows: Rows, lease_s: float = 60) -> list[tuple[Any, ...]]:
    free = first_unlocked(rows.filter(FREE))
    return take(free, "jobs_fencing_token", lease_s, "number, attempt, lease_token", attempt=F("attempt") + 1)


def held(rows: Rows, lease_s: float = 60) -> Rows:
    """Take the first free row, and describe it as its holder does."""
    ((number, _, token),) = taken(rows, lease_s)
    return rows.filter(number=number, lease_token=token)


def elsewhere(do: Callable[[], T]) -> T:
    """Do this in another process's place: on a connection of its own."""

    def work() -> T:
        try:
            with operator_work():
                return do()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work).result(60)


def numbers(found: list[tuple[Any, ...]]) -> list[int]:
    return [row[0] for row in found]


def test_free_rows_are_taken_in_their_order_and_each_once(rows: Rows) -> None:
    found = [row for _ in range(ROWS) for row in taken(rows)]
    assert [row[:2] for row in found] == [(number, 1) for number in range(ROWS)]
    assert len({token for *_, token in found}) == ROWS
    assert taken(rows) == []


def test_processes_that_take_at_once_never_take_the_same_row(rows: Rows) -> None:
    with ThreadPoolExecutor(4) as threads:
        found = threads.map(lambda _: elsewhere(lambda: taken(rows)), range(4 * ROWS))
    assert sorted(number for some in found for number, *_ in some) == list(range(ROWS))


def test_a_late_holder_whom_nobody_followed_renews_and_releases(rows: Rows) -> None:
    late = held(rows, -1)
    assert renew(late, 60)
    assert sweep(rows, "number") == []
    assert release(late)
    assert not release(late)
    assert numbers(taken(rows)) == [0]


def test_a_late_holder_whose_row_was_taken_changes_nothing(rows: Rows) -> None:
    late, now = held(rows, -1), held(rows)
    assert not renew(late, 60)
    assert not release(late, worker="late")
    assert now.get().worker == ""


def test_a_sweep_frees_rows_whose_leases_have_lapsed_and_no_others(rows: Rows) -> None:
    late, now = held(rows, -1).get(), held(rows.filter(number__gt=0))
    assert sweep(rows, "number, worker", worker="swept") == [(late.number, "swept")]
    assert now.get().worker == ""
    assert sweep(rows, "number") == []
    assert numbers(taken(rows)) == [late.number]


def test_a_row_that_is_locked_now_is_passed(rows: Rows) -> None:
    late = held(rows, -1)
    with transaction.atomic(using=OPERATOR):
        late.select_for_update().get()
        assert numbers(elsewhere(lambda: taken(rows))) == [1]
        assert not elsewhere(lambda: renew(unlocked(late), 60))
        assert elsewhere(lambda: sweep(rows, "number")) == []
    assert numbers(sweep(rows, "number")) == [0]
