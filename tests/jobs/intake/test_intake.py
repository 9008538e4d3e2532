"""Tests of admission itself, with requests that take as long as the test says."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import ParamSpec
from uuid import UUID, uuid4

import pytest

from jobs.intake.intake import Intake, TooMuchAtOnce, places_for
from jobs.intake.pressure import BURST, FEW
from tenants.api.authentication import IDENTITY
from tenants.core.asgi.protocol import Scope
from tenants.core.asgi.threads import Overloaded
from tenants.identity.identity import Identity
from tenants.limits.effective import EffectiveLimits

ONE, TWO = uuid4(), uuid4()
LIMITS = EffectiveLimits(upload_bytes=1, document_pages=1, page_pixels=1, inline_bytes=1, own_model_bytes=1)
P = ParamSpec("P")


def in_a_loop(test: Callable[P, Awaitable[None]]) -> Callable[P, None]:
    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        async def whole() -> None:
            await test(*args, **kwargs)

        asyncio.run(whole())

    return run


def post(tenant_id: UUID, path: str = "/v1/jobs", method: str = "POST") -> Scope:
    identity = Identity(tenant_id, LIMITS, frozenset({"jobs:write"}), key_id=uuid4())
    return {"type": "http", "method": method, "path": path, IDENTITY: identity}


class Desk:
    """A handler that serves the admitted requests when the test says so."""

    def __init__(self, intake: Intake, path: str = "/v1/jobs") -> None:
        self._intake = intake
        self._path = path
        self._go = asyncio.Event()
        self.inside: list[UUID] = []
        self.tasks: list[asyncio.Task[None]] = []

    def comes(self, tenant_id: UUID) -> "asyncio.Task[None]":
        task = asyncio.ensure_future(self._serve(tenant_id))
        self.tasks.append(task)
        return task

    async def _serve(self, tenant_id: UUID) -> None:
        async with self._intake.turn(post(tenant_id, self._path)):
            self.inside.append(tenant_id)
            await self._go.wait()

    async def serve_all(self) -> None:
        self._go.set()
        await asyncio.gather(*self.tasks, return_exceptions=True)


async def flooded(intake: Intake, desk: Desk) -> None:
    """Send requests of one tenant until no more of them are admitted."""
    while True:
        try:
            intake.check(post(ONE))
        except TooMuchAtOnce:
            return
        desk.comes(ONE)
        await asyncio.sleep(0)


@in_a_loop
async def test_who_floods_is_refused_before_the_body_and_nobody_else_is() -> None:
    intake = Intake(2)
    desk = Desk(intake)
    await flooded(intake, desk)
    assert len(desk.inside) == 2
    assert len(desk.tasks) <= BURST + 2
    with pytest.raises(TooMuchAtOnce) as refused:
        intake.check(post(ONE))
    assert int(str(refused.value.extra["retry_after_s"])) >= 1
    intake.check(post(TWO))
    await desk.serve_all()


@in_a_loop
async def test_who_was_turned_away_past_the_door_has_no_burst_left_and_others_have() -> None:
    intake = Intake(2, floods={TWO}.__contains__)
    desk = Desk(intake)
    await flooded(intake, desk)
    assert len(desk.tasks) == BURST + 2
    await desk.serve_all()
    intake = Intake(2, floods={ONE}.__contains__)
    desk = Desk(intake)
    await flooded(intake, desk)
    assert len(desk.tasks) < BURST
    await desk.serve_all()


def test_a_document_joins_no_line_before_its_look_while_there_is_pressure() -> None:
    floods: set[UUID] = set()
    intake = Intake(2, floods=floods.__contains__)
    intake.check_upload(post(ONE), 50)
    floods.add(ONE)
    intake.check_upload(post(ONE), 0)
    intake.check_upload(post(ONE, "/v1/archives"), 50)
    intake.check_upload(post(TWO), 50)
    with pytest.raises(TooMuchAtOnce):
        intake.check_upload(post(ONE), 1)
    intake._jobs._pressure.strict_until_s = float("inf")
    intake.check_upload(post(TWO), FEW - 1)
    with pytest.raises(TooMuchAtOnce):
        intake.check_upload(post(TWO), FEW)


@in_a_loop
async def test_tenants_take_turns_at_the_door() -> None:
    intake = Intake(1)
    desk = Desk(intake)
    await flooded(intake, desk)
    desk.comes(TWO)
    await asyncio.sleep(0)
    await desk.serve_all()
    assert TWO in desk.inside[:3]


@in_a_loop
async def test_so_many_tenants_that_nobody_would_be_served_soon_are_all_refused() -> None:
    intake = Intake(1)
    desk = Desk(intake)
    intake._jobs._pressure.strict_until_s = float("inf")
    for _ in range(80):
        desk.comes(uuid4())
        await asyncio.sleep(0)
    with pytest.raises(Overloaded):
        intake.check(post(uuid4()))
    await desk.serve_all()


@in_a_loop
async def test_at_a_door_where_others_stand_all_the_time_nobody_waits_for_long() -> None:
    """The requests before the refused one took longer than expected. The other tenant still has its turn."""
    intake = Intake(1)
    desk = Desk(intake)
    intake._jobs._pressure.strict_until_s = float("inf")
    inside, first, overdue = desk.comes(ONE), desk.comes(ONE), desk.comes(ONE)
    await asyncio.sleep(0)
    another = desk.comes(TWO)
    await asyncio.wait([overdue])
    assert isinstance(overdue.exception(), TooMuchAtOnce)
    assert not any(task.done() for task in (inside, first, another))
    await desk.serve_all()
    assert desk.inside == [ONE, ONE, TWO]
    async with intake.turn(post(TWO)):
        assert intake._jobs._turns.waiting == 0


@in_a_loop
async def test_whoever_saves_slowly_holds_up_no_job_and_has_not_all_places_to_save() -> None:
    intake = Intake(4)
    saving, jobs = Desk(intake, "/v1/archives"), Desk(intake)
    for _ in range(8):
        saving.comes(ONE)
        await asyncio.sleep(0)
    intake._saving._pressure.service_s = 5.0
    intake._saving._pressure.strict_until_s = float("inf")
    with pytest.raises(TooMuchAtOnce):
        intake.check(post(ONE, "/v1/archives"))
    intake.check(post(TWO, "/v1/archives"))
    saving.comes(TWO)
    jobs.comes(TWO)
    await asyncio.sleep(0)
    assert (saving.inside, jobs.inside) == ([ONE, TWO], [TWO])
    await saving.serve_all()
    await jobs.serve_all()


@in_a_loop
async def test_a_place_that_only_others_may_have_is_theirs_at_once() -> None:
    """A tenant that has as many slots as it may have waits in a queue of its own, which delays no other tenant."""
    intake = Intake(4)
    desk = Desk(intake)
    for _ in range(6):
        desk.comes(ONE)
        await asyncio.sleep(0)
    intake._jobs._pressure.service_s = 20.0
    intake._jobs._pressure.strict_until_s = float("inf")
    intake.check(post(TWO))
    desk.comes(TWO)
    await asyncio.sleep(0)
    assert desk.inside == [ONE, ONE, ONE, TWO]
    with pytest.raises(TooMuchAtOnce):
        intake.check(post(ONE))
    await desk.serve_all()


@pytest.mark.parametrize(
    ("path", "method"), [("/v1/jobs/1/cancel", "POST"), ("/v1/jobs", "GET"), ("/v1/tickets", "POST")]
)
@in_a_loop
async def test_what_only_looks_or_takes_work_away_passes_by(path: str, method: str) -> None:
    intake = Intake(1)
    desk = Desk(intake)
    await flooded(intake, desk)
    intake.check(post(ONE, path, method))
    async with intake.turn(post(ONE, path, method)):
        pass
    await desk.serve_all()


@in_a_loop
async def test_whoever_leaves_the_line_leaves_the_place_to_others() -> None:
    intake = Intake(1)
    desk = Desk(intake)
    first, gives_up = desk.comes(ONE), desk.comes(ONE)
    await asyncio.sleep(0)
    gives_up.cancel()
    await desk.serve_all()
    assert first.done()
    intake.check(post(ONE))
    async with intake.turn(post(TWO)):
        pass


@pytest.mark.parametrize(("threads", "cores", "places"), [(16, 2, 4), (16, 64, 8), (1, 2, 1), (16, 1, 4), (64, 8, 16)])
def test_no_more_come_in_at_once_than_keep_the_cores_busy(threads: int, cores: int, places: int) -> None:
    assert places_for(threads, cores) == places
