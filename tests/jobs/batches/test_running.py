"""Tests of the lines of a slice: each response is stored and charged once, whatever keeps the other lines from being
run.
"""

import asyncio
import errno
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from pytest_django import Settings

from inference.gateway.exchange import Exchange
from inference.gateway.replies import Reply
from inference.gateway.room import Room
from inference.registry.errors import ModelPaused
from jobs.batches import running, states
from jobs.batches.checking import batch_fault
from jobs.batches.checks import MAX_LINES
from jobs.batches.claims import TaskClaim, claim_task, renew_tasks
from jobs.batches.line_calls import SliceAsker
from jobs.batches.line_parsing import LineFault
from jobs.batches.models import Batch
from jobs.batches.running import Held, SliceRun
from jobs.batches.settlement import Done, finish_run, give_up_lines
from jobs.batches.upkeep import expire_batches
from maas.web.guard.refusals import worded
from tenants.core.asgi.stopping import Stop
from tenants.core.asgi.threads import DatabaseThreads

from .desk import BatchDesk
from .test_settlement import saved, use, uses

ANSWER = b'{"answer":"%b"}'


class Model:
    """A model that answers each line with the text of that line, until it is paused."""

    def __init__(self, claim: TaskClaim, answers: int = 1_000, held_bytes: int = 0) -> None:
        self._claim = claim
        self._left = answers
        self._held_bytes = held_bytes
        self.told: list[bool] = []
        """One value for each response, which says whether it is paid for."""

    async def __call__(self, exchange: Exchange) -> Reply:
        body = await exchange.body()
        if not self._left:
            raise ModelPaused("paused")
        self._left -= 1
        exchange.afterwards(self.told.append, self._held_bytes)
        exchange.uses.append(replace(use(self._claim, 0), source_kind="call"))
        return Reply(ANSWER % body.split(b'"')[-2])


def run(claim: TaskClaim, answers: int = 1_000, ending: str = "", model: Model | None = None) -> Done:
    async def run() -> Done:
        threads = DatabaseThreads("lines", 1)
        held = Held(claim, "")
        held.end(ending)
        try:
            asker = SliceAsker(claim, model or Model(claim, answers), worded, Stop(), Room())
            return await SliceRun(held, asker, threads).run()
        finally:
            threads.close()

    return asyncio.run(run())


def waits_no_longer(desk: BatchDesk, batch: Batch) -> None:
    desk.sql("UPDATE jobs_batchtask SET run_after = now() WHERE batch_id = %s", batch.id)


def suspend(desk: BatchDesk, state: str = "suspended") -> None:
    desk.sql(f"UPDATE tenants_tenant SET state = '{state}' WHERE id = %s", desk.identity.tenant_id)


def answers_of(desk: BatchDesk, batch: Batch) -> list[str]:
    return [one["response"]["body"]["answer"] for one in desk.made(batch.output_file_id)]


def codes(batch: Batch) -> list[str]:
    return [fault["code"] for fault in batch.errors or []]


def test_a_slice_whose_model_is_paused_makes_room_and_goes_on_where_it_was(desk: BatchDesk) -> None:
    batch = desk.checked(5)
    claim = desk.claimed(batch)
    done = run(claim, answers=2)
    assert done.rests_s
    finish_run(claim, done)
    assert desk.again(batch).lines_completed == uses(desk) == 2
    assert claim_task("one") is None
    waits_no_longer(desk, batch)
    again = desk.claimed(batch)
    assert (again.attempt, again.answered) == (1, 2)
    finish_run(again, run(again))
    over = desk.merge(batch)
    assert (over.status, over.lines_completed, uses(desk)) == (states.COMPLETED, 5, 5)
    assert answers_of(desk, over) == [f"text {number}" for number in range(5)]


def test_an_answer_may_be_kept_for_others_once_it_is_paid_for_and_not_sooner(desk: BatchDesk) -> None:
    claim = desk.claimed(desk.checked(5))
    model = Model(claim)
    done = run(claim, model=model)
    assert model.told == []
    finish_run(claim, done)
    done.tell(recorded=True)
    assert model.told == [True] * 5


def test_what_is_more_than_is_held_of_a_slice_is_kept_for_nobody(
    desk: BatchDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "MAX_HELD_BYTES", 2 * len(ANSWER % b"text 0"))
    claim = desk.claimed(desk.checked(5))
    model = Model(claim)
    run(claim, model=model)
    assert model.told == [False] * 3


def test_what_a_short_answer_was_made_of_counts_as_held(desk: BatchDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "MAX_HELD_BYTES", 3_000)
    claim = desk.claimed(desk.checked(5))
    model = Model(claim, held_bytes=1_000)
    run(claim, model=model)
    assert model.told == [False] * 2


def test_an_answer_that_cannot_be_written_down_is_kept_for_nobody(
    desk: BatchDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> bytes:
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(running, "answer_line", full)
    claim = desk.claimed(desk.checked(3))
    model = Model(claim)
    with pytest.raises(OSError, match="no space"):
        run(claim, model=model)
    assert model.told == [False] * 3


def test_a_paused_models_batch_leaves_its_places_to_other_batches(desk: BatchDesk) -> None:
    claim = desk.claimed(desk.checked(3 * MAX_LINES))
    finish_run(claim, run(claim, answers=0))
    other = desk.checked(1)
    assert desk.claimed(other).kind == states.RUN
    assert claim_task("one") is None


def test_of_a_suspended_tenant_no_line_is_begun_until_it_may_again(desk: BatchDesk) -> None:
    batch = desk.checked(MAX_LINES + 1)
    claim = desk.claimed(batch)
    suspend(desk)
    assert renew_tasks([claim]) == {claim.token: states.SUSPENDED}
    finish_run(claim, run(claim, ending=states.SUSPENDED))
    assert claim_task("one") is None
    assert desk.again(batch).status == states.IN_PROGRESS
    suspend(desk, "active")
    for _ in range(2):
        claim = desk.claimed(batch)
        finish_run(claim, run(claim))
    over = desk.merge(batch)
    assert (over.status, over.lines_completed) == (states.COMPLETED, MAX_LINES + 1)


def test_the_batch_of_a_suspended_tenant_still_ends_in_time(desk: BatchDesk) -> None:
    batch = desk.checked(1)
    suspend(desk)
    desk.sql("UPDATE jobs_batch SET expires_at = now() WHERE id = %s", batch.id)

    assert expire_batches() == 1
    assert desk.merge(batch).status == states.EXPIRED


def test_a_batch_that_fills_its_account_ends_with_what_it_has_and_says_why(desk: BatchDesk, settings: Settings) -> None:
    batch = desk.checked(MAX_LINES + 2)
    claim = desk.claimed(batch)
    done = Done(completed=MAX_LINES, output=saved(claim, b'{"done": true}\n'), made_bytes=10_000_000)
    settings.MAAS_MAX_FILES_BYTES = 9_000_000
    finish_run(claim, done)
    over = desk.merge(batch)
    assert (over.status, codes(over), over.made_bytes) == (states.FAILED, ["too_many_files"], 0)
    assert desk.made(over.output_file_id) == [{"done": True}]
    rest = desk.made(over.error_file_id)
    assert [one["error"]["code"] for one in rest] == ["batch_failed"] * 2
    assert (over.lines_completed, over.lines_failed) == (MAX_LINES, 0)


def test_a_slice_stops_as_soon_as_its_answers_fill_the_account(
    desk: BatchDesk, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "ROOM_EVERY_BYTES", 100)
    batch = desk.checked(50)
    claim = desk.claimed(batch)
    settings.MAAS_MAX_FILES_BYTES = 1 + len(desk.lines(50))
    done = run(claim)
    assert done.completed < 50
    finish_run(claim, done)
    over = desk.merge(batch)
    assert (over.status, codes(over)) == (states.FAILED, ["too_many_files"])
    assert len(answers_of(desk, over)) == over.lines_completed == uses(desk) == done.completed
    assert len(desk.made(over.error_file_id)) == 50 - done.completed


def in_storage(name: str) -> Path:
    return Path(default_storage.path(name))


def test_a_line_that_cannot_be_read_again_ends_the_batch_and_keeps_what_was_done(desk: BatchDesk) -> None:
    batch = desk.checked(4)
    claim = desk.claimed(batch)
    slice_ = in_storage(claim.input)
    slice_.write_bytes(slice_.read_bytes().replace(b'"text 2"', b'"text 2'))
    finish_run(claim, run(claim))
    again = desk.claimed(batch)
    with pytest.raises(LineFault):
        run(again)
    give_up_lines(again, batch_fault("invalid_json_line", "why"))
    over = desk.merge(batch)
    assert (over.status, codes(over)) == (states.FAILED, ["invalid_json_line", "requests_unread"])
    assert answers_of(desk, over) == ["text 0", "text 1"]
    assert uses(desk) == over.lines_completed == 2


def gone(names: Collection[str]) -> None:
    for name in names:
        in_storage(name).unlink()


@pytest.mark.parametrize("missing", ["input", "output"])
def test_of_a_slice_that_is_missing_the_rest_is_kept_and_the_loss_told(desk: BatchDesk, missing: str) -> None:
    batch = desk.checked(2 * MAX_LINES)
    first, second = desk.claimed(batch), desk.claimed(batch)
    finish_run(first, run(first))
    loss: Callable[[], None] = {
        "input": lambda: give_up_lines(second, batch_fault("file_missing", "why")),
        "output": lambda: finish_run(second, run(second)),
    }[missing]
    loss()
    gone([getattr(desk.tasks(batch)[2], missing)])
    over = desk.merge(batch)
    assert over.status == states.FAILED
    assert codes(over) == {"input": ["file_missing", "requests_unread"], "output": ["file_missing"]}[missing]
    assert len(answers_of(desk, over)) == MAX_LINES
