"""Test that tasks and batches end once, together with their cost and with what follows from their end."""

import time
from uuid import UUID

import pytest

from jobs.batches import blobs, states
from jobs.batches.checks import MAX_LINES, check_file
from jobs.batches.claims import TaskClaim, claim_task
from jobs.batches.errors import BatchFinished, FileInUse
from jobs.batches.ids import BATCH, FILE, line_id, shown
from jobs.batches.models import StoredFile
from jobs.batches.running import read_slice
from jobs.batches.services import cancel_batch, delete_file
from jobs.batches.settlement import Done, finish_run
from jobs.batches.upkeep import erase_expired_files, expire_batches, keep_up_batches
from jobs.core.errors import LeaseLost
from tenants.billing.metering.events import MeterEvent
from tenants.billing.usage.models import UsageRecord
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import NotFound
from tenants.plans.prices import Price

from .desk import BatchDesk

PRICE = Price("call", 1500, 1, "EUR")


def use(claim: TaskClaim, number: int) -> MeterEvent:
    return MeterEvent(
        id=line_id(claim.batch_id, number),
        tenant_id=claim.tenant_id,
        source_kind="batch_line",
        model="any",
        version=1,
        quantity=1,
        price=PRICE,
        livemode=True,
        at_ms=time.time_ns() // 1_000_000,
    )


def saved(claim: TaskClaim, content: bytes) -> str:
    name = blobs.part_name(claim.tenant_id, claim.batch_id, "output")
    with blobs.scratch() as made:
        made.write(content)
        made.finish()
        blobs.save(claim.tenant_id, name, made.path)
    return name


def uses(desk: BatchDesk) -> int:
    with unit_of_work(desk.identity.tenant_id):
        return UsageRecord.objects.count()


def test_a_file_is_cut_into_slices_that_hold_its_lines_in_order(desk: BatchDesk) -> None:
    batch = desk.checked(2 * MAX_LINES + 1)
    assert (batch.status, batch.lines_total) == (states.IN_PROGRESS, 2 * MAX_LINES + 1)
    assert batch.model_version == desk.version
    assert batch.price is not None
    assert [task.lines for task in desk.tasks(batch)] == [0, MAX_LINES, MAX_LINES, 1]
    numbers: list[int] = []
    for _ in range(3):
        claim = desk.claimed(batch)
        numbers += [line.number for line, _ in read_slice(claim)]
    assert numbers == list(range(1, 2 * MAX_LINES + 2))


def test_the_last_slice_makes_the_files_and_nothing_else_is_left(desk: BatchDesk) -> None:
    batch = desk.checked(MAX_LINES + 1)
    second_first = [desk.claimed(batch), desk.claimed(batch)][::-1]
    for number, claim in enumerate(second_first):
        content = b'{"slice": %d}\n' % number
        done = Done(completed=1, tokens=2, uses=[use(claim, number)], output=saved(claim, content))
        finish_run(claim, done)
    assert desk.again(batch).status == states.FINALIZING
    over = desk.merge(batch)
    assert (over.status, over.ending) == (states.COMPLETED, "")
    assert (over.lines_completed, over.tokens, over.cost_micros) == (2, 4, 3000)
    assert [one["slice"] for one in desk.made(over.output_file_id)] == [1, 0]
    assert over.error_file_id is None
    assert desk.tasks(batch) == []
    assert uses(desk) == 2


def test_the_same_line_is_never_charged_twice(desk: BatchDesk) -> None:
    batch = desk.checked()
    claim = desk.claimed(batch)
    finish_run(claim, Done(completed=3, uses=[use(claim, number) for number in (1, 2, 3)]))
    with pytest.raises(LeaseLost):
        finish_run(claim, Done(completed=3, uses=[use(claim, number) for number in (1, 2, 3)]))
    assert uses(desk) == 3
    assert desk.again(batch).lines_completed == 3


def test_lines_ids_are_their_own_and_always_the_same() -> None:
    batch = UUID(int=0x019AAB << 104 | 7 << 76)
    ids = [line_id(batch, number) for number in range(1000)]
    assert len(set(ids)) == 1000
    assert ids == [line_id(batch, number) for number in range(1000)]
    assert {one.version for one in ids} == {7}
    assert {one.int >> 80 for one in ids} == {batch.int >> 80}
    assert line_id(batch, 1, 1) not in ids


def test_a_batch_that_is_cancelled_before_it_was_checked_has_no_files(desk: BatchDesk) -> None:
    batch = desk.batch()
    claim = desk.claimed(batch)
    over = cancel_batch(identity=desk.identity, batch_id=shown(BATCH, batch.id))
    assert over.status == states.CANCELLED
    assert desk.tasks(batch) == []
    with pytest.raises(LeaseLost):
        finish_run(claim, Done())


def test_a_batch_past_its_window_keeps_what_was_done_and_names_the_rest(desk: BatchDesk) -> None:
    batch = desk.checked(MAX_LINES + 2)
    claim = desk.claimed(batch)
    desk.sql("UPDATE jobs_batch SET expires_at = now() WHERE id = %s", batch.id)
    assert expire_batches() == 1
    assert expire_batches() == 0
    with pytest.raises(BatchFinished):
        cancel_batch(identity=desk.identity, batch_id=shown(BATCH, batch.id))
    finish_run(claim, Done(completed=MAX_LINES, output=saved(claim, b'{"done": true}\n')))
    assert desk.again(batch).status == states.FINALIZING
    over = desk.merge(batch)
    assert over.status == states.EXPIRED
    assert desk.made(over.output_file_id) == [{"done": True}]
    rest = desk.made(over.error_file_id)
    assert [one["custom_id"] for one in rest] == [f"{MAX_LINES}", f"{MAX_LINES + 1}"]
    assert {one["error"]["code"] for one in rest} == {"batch_expired"}
    assert (over.lines_completed, over.lines_failed) == (MAX_LINES, 0)


def test_one_round_of_upkeep_takes_from_silent_workers_and_ends_what_is_late(desk: BatchDesk) -> None:
    silent, late = desk.checked(), desk.batch()
    desk.expire_lease(desk.claimed(silent))
    desk.sql("UPDATE jobs_batch SET expires_at = now() WHERE id = %s", late.id)
    keep_up_batches()
    assert [task.state for task in desk.tasks(silent)] == [states.DONE, states.QUEUED]
    assert desk.again(late).status == states.EXPIRED


def test_a_file_in_use_is_neither_deleted_nor_does_it_expire(desk: BatchDesk) -> None:
    batch = desk.batch()
    file_id = shown(FILE, batch.input_file_id)
    desk.sql("UPDATE jobs_storedfile SET expires_at = now() WHERE id = %s", batch.input_file_id)
    with pytest.raises(FileInUse):
        delete_file(identity=desk.identity, file_id=file_id)
    erase_expired_files()
    with unit_of_work(desk.identity.tenant_id):
        assert StoredFile.objects.filter(id=batch.input_file_id).exists()
    cancel_batch(identity=desk.identity, batch_id=shown(BATCH, batch.id))
    assert erase_expired_files() == 1
    with pytest.raises(NotFound):
        delete_file(identity=desk.identity, file_id=file_id)


def test_a_file_that_is_gone_fails_its_batch(desk: BatchDesk) -> None:
    batch = desk.batch()
    desk.sql("DELETE FROM jobs_storedfile WHERE id = %s", batch.input_file_id)
    check_file(desk.claimed(batch))
    over = desk.again(batch)
    assert over.status == states.FAILED
    assert over.errors is not None
    assert [fault["code"] for fault in over.errors] == ["file_missing"]
    assert claim_task("one") is None
