"""Test that tenants take turns at tasks, and that leases fence the workers."""

import threading
from collections.abc import Callable

import pytest
from django.db import connections, transaction

from inference.registry.models import ModelVersion
from jobs.batches import states
from jobs.batches.checks import MAX_LINES
from jobs.batches.claims import (
    MAX_AT_ONCE,
    claim_task,
    note_line,
    put_off,
    renew_tasks,
    take_from_silent_workers,
)
from jobs.batches.models import Batch
from jobs.batches.services import cancel_batch
from jobs.batches.settlement import Done, finish_run
from jobs.core.errors import LeaseLost
from tenants.api_keys.models import ApiKey
from tenants.api_keys.services import create_key
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.identity.identity import Identity
from tests.waiting import eventually

from .desk import BatchDesk


@pytest.fixture
def other(other_identity: Identity, make_version: Callable[[], ModelVersion]) -> BatchDesk:
    return BatchDesk(other_identity, make_version())


def test_tenants_take_turns_however_much_one_of_them_has_sent(desk: BatchDesk, other: BatchDesk) -> None:
    large, small = desk.checked(4 * MAX_LINES), other.checked(2 * MAX_LINES)
    claims = [claim_task("one") for _ in range(5)]
    owners = [claim.batch_id for claim in claims if claim is not None]
    assert sorted(owners[:2]) == sorted([large.id, small.id])
    assert sorted(owners[2:4]) == sorted([large.id, small.id])
    assert owners[4] == large.id


def test_with_one_pair_of_hands_tenants_take_turns_as_well(desk: BatchDesk, other: BatchDesk) -> None:
    large, small = desk.checked(3 * MAX_LINES), other.checked(3 * MAX_LINES)
    owners = []
    for _ in range(6):
        claim = claim_task("one")
        assert claim is not None
        owners.append(claim.batch_id)
        finish_run(claim, Done(completed=MAX_LINES))
    assert owners[0::2] == [owners[0]] * 3
    assert owners[1::2] == [owners[1]] * 3
    assert {*owners} == {large.id, small.id}


def test_one_batch_never_holds_more_than_its_share_of_all_workers(desk: BatchDesk) -> None:
    desk.checked((MAX_AT_ONCE + 2) * MAX_LINES)
    claims = [claim_task("one") for _ in range(MAX_AT_ONCE + 1)]
    assert claims[-1] is None
    assert None not in claims[:-1]


def test_a_task_is_held_by_one_and_taken_from_whoever_went_silent(desk: BatchDesk) -> None:
    batch = desk.checked()
    first = desk.claimed(batch)
    assert claim_task("two") is None
    assert renew_tasks([first]) == {first.token: ""}
    assert take_from_silent_workers() == []
    desk.expire_lease(first)
    assert [lost.task_id for lost in take_from_silent_workers()] == [first.task_id]
    second = desk.claimed(batch, "two")
    assert (second.attempt, renew_tasks([first])) == (2, {})
    with pytest.raises(LeaseLost):
        finish_run(first, Done(completed=3))
    finish_run(second, Done(completed=3))
    assert desk.again(batch).lines_completed == 3


def test_a_task_that_is_put_off_waits_and_counts_no_attempt(desk: BatchDesk) -> None:
    batch = desk.checked()
    put_off(desk.claimed(batch), 3600)
    assert claim_task("one") is None
    desk.sql("UPDATE jobs_batchtask SET run_after = now() WHERE batch_id = %s", batch.id)
    claim = desk.claimed(batch)
    assert claim.attempt == 1
    put_off(claim)
    assert desk.claimed(batch).attempt == 1


def test_the_line_that_a_worker_died_with_is_known_to_the_next(desk: BatchDesk) -> None:
    batch = desk.checked()
    for line in (2, 3):
        claim = desk.claimed(batch)
        assert note_line(claim, line)
        desk.expire_lease(claim)
        take_from_silent_workers()
    last = desk.claimed(batch)
    assert last.crashing_lines == {2, 3}
    assert not note_line(claim, 1)
    assert note_line(last, 1)
    put_off(last)
    assert desk.claimed(batch).crashing_lines == {2, 3}


def test_a_renewal_tells_how_the_batch_is_to_end(desk: BatchDesk) -> None:
    batch = desk.checked()
    claim = desk.claimed(batch)
    cancel_batch(identity=desk.identity, batch_id=f"batch_{batch.id.hex}")
    assert renew_tasks([claim]) == {claim.token: states.CANCELLED}


def test_a_task_that_somebody_has_locked_does_not_hold_up_the_renewal_of_others(desk: BatchDesk) -> None:
    desk.checked(2 * MAX_LINES)
    locked, other = claim_task("one"), claim_task("one")
    assert locked is not None
    assert other is not None
    for claim in (locked, other):
        desk.expire_lease(claim)
    renewed: list[dict[int, str]] = []

    def renew() -> None:
        renewed.append(renew_tasks([locked, other]))
        connections.close_all()

    thread = threading.Thread(target=renew)
    with transaction.atomic(using=OPERATOR):
        desk.sql("SELECT FROM jobs_batchtask WHERE id = %s FOR UPDATE", locked.task_id)
        thread.start()
        eventually(lambda: renewed, "the renewal")
    thread.join()
    assert renewed == [{locked.token: "", other.token: ""}], "what is locked now may still be ours"
    assert [lost.task_id for lost in take_from_silent_workers()] == [locked.task_id]


def test_a_claim_says_which_models_its_key_may_have_run(desk: BatchDesk) -> None:
    with operator_work():
        key = create_key(tenant_id=desk.identity.tenant_id, name="kept to models").key
        ApiKey.objects.filter(id=key.id).update(allowed_models=["embed"])
        batch = desk.checked(1)
        Batch.objects.filter(id=batch.id).update(api_key_id=key.id)
    assert desk.claimed(batch).key_models == ("embed",)
