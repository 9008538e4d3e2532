"""The admission to Django of requests that bring work: tenants take turns, and long waits are refused at once.

The check runs before a body is read, and again when it is complete. Requests that read or cancel are not checked.
"""

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import BinaryIO, NoReturn
from uuid import UUID

from jobs.core.recent_refusals import was_turned_away
from jobs.intake.fair_slots import FairSlots
from jobs.intake.metrics import ADMISSION_REFUSED
from jobs.intake.model_paths import takes_models
from jobs.intake.pressure import FEW, NEWCOMERS_SAVE_S, Pressure
from jobs.queue.admission import anybody_refused, refuse_known
from tenants.api.authentication import IDENTITY
from tenants.core.asgi.protocol import MEMBER, UPLOAD, Scope, header
from tenants.core.asgi.threads import Overloaded
from tenants.core.errors import DomainError
from tenants.identity.identity import Identity

FEWEST = 4
_LOOKED_AT = frozenset({"/v1/jobs", "/v1/documents"})
_LONG_TO_SAVE = frozenset({"/v1/archives", "/v1/files"})


def places_for(threads: int, cores: int) -> int:
    """Return how many threads may take in work. The others are for reads; too many make each slower."""
    return max(1, min(threads // 2, max(FEWEST, 2 * cores)))


class TooMuchAtOnce(DomainError):
    """The refusal of a tenant that sends too much, or `Overloaded` if all tenants together do."""

    code = "rate_limited"
    gate = "submissions"


class Intake:
    def __init__(self, places: int, floods: Callable[[UUID], bool] = was_turned_away) -> None:
        # If there are several slots, a tenant never has all of them.
        self._jobs = Door(
            FairSlots(places, max_each=places - 1 if places >= FEWEST else places), Pressure(places), floods
        )
        saving = max(1, places // 2)
        self._saving = Door(
            FairSlots(saving, max_each=max(1, saving - 1)),
            Pressure(saving, newcomers_s=NEWCOMERS_SAVE_S),
            floods,
        )
        """The admission of slow requests, such as an archive or many text lines. No job waits behind them."""
        self._floods = floods

    def check(self, scope: Scope) -> None:
        """Check the request against the current wait. Raises TooMuchAtOnce or Overloaded."""
        tenant_id = who_hands_in(scope)
        if tenant_id is not None:
            self._door_of(scope).check(tenant_id)

    def check_upload(self, scope: Scope, waiting: int) -> None:
        """Check an upload before its body is read. `waiting` is the number of the tenant's uploads that are not
        inspected yet. Raises TooMuchAtOnce.

        The check is done before the inspection, because under load a request that was admitted should be served soon.
        """
        tenant_id = who_hands_in(scope)
        if tenant_id is None or scope["path"] not in _LOOKED_AT:
            return
        if (waiting and self._floods(tenant_id)) or (waiting >= FEW and self._jobs.is_strict()):
            self._jobs.refuse(own=waiting)

    @asynccontextmanager
    async def turn(self, scope: Scope) -> AsyncIterator[None]:
        tenant_id = who_hands_in(scope)
        if tenant_id is None:
            yield
            return
        # Most of the work for an inspected document is done, so it goes before the other requests of its tenant.
        ahead = UPLOAD in scope and scope["path"] in _LOOKED_AT
        async with self._door_of(scope).turn(tenant_id, ahead=ahead):
            yield

    def _door_of(self, scope: Scope) -> "Door":
        return self._saving if _is_long_to_save(scope["path"]) else self._jobs


class Door:
    def __init__(self, turns: FairSlots, pressure: Pressure, floods: Callable[[UUID], bool]) -> None:
        self._turns = turns
        self._pressure = pressure
        self._floods = floods
        """A function that returns whether the tenant was refused after admission a moment ago."""

    def is_strict(self) -> bool:
        return self._pressure.is_strict(time.monotonic())

    @asynccontextmanager
    async def turn(self, tenant_id: UUID, *, ahead: bool) -> AsyncIterator[None]:
        await self._take(tenant_id, ahead=ahead)
        began_s = time.monotonic()
        try:
            yield
        finally:
            now_s = time.monotonic()
            self._turns.give_back(tenant_id)
            self._pressure.served(now_s - began_s)
            self._pressure.line(self._turns.waiting, now_s)

    async def _take(self, tenant_id: UUID, *, ahead: bool) -> None:
        if self._turns.free_for(tenant_id):
            await self._turns.take(tenant_id, ahead=ahead)
            return
        # A complete request may wait twice as long.
        self.check(tenant_id, worth=2.0, ahead=ahead)
        now_s, own = time.monotonic(), self._turns.waiting_of(tenant_id, ahead=ahead)
        self._pressure.line(self._turns.waiting + 1, now_s)
        try:
            longest_s = self._pressure.longest_wait_s(own, now_s, floods=self._floods(tenant_id))
            async with asyncio.timeout(longest_s):
                await self._turns.take(tenant_id, ahead=ahead)
        except TimeoutError:
            self._pressure.line(self._turns.waiting, time.monotonic())
            self.refuse(own=own)

    def check(self, tenant_id: UUID, *, worth: float = 1.0, ahead: bool = False) -> None:
        turns, now_s = self._turns, time.monotonic()
        if turns.free_for(tenant_id):
            return
        own = turns.waiting_of(tenant_id, ahead=ahead)
        wait_s = self._pressure.wait_s(own, turns.tenants_waiting(tenant_id), turns.waiting)
        if not self._pressure.lets_in(own, wait_s / worth, now_s, floods=self._floods(tenant_id)):
            self.refuse(own=own)

    def refuse(self, *, own: int) -> NoReturn:
        """Raise the refusal. `own` is the number of the tenant's requests that already wait."""
        pause_s = self._pressure.retry_after_s(time.monotonic(), random.random())  # noqa: S311  # jitter, not a secret
        extra = {"retry_after_s": pause_s}
        if own:
            ADMISSION_REFUSED.labels("tenant").inc()
            raise TooMuchAtOnce(f"You are uploading too much at once. Send this again in {pause_s} s.", extra=extra)
        ADMISSION_REFUSED.labels("all").inc()
        raise Overloaded(
            f"Too many uploads at once. Send this again in {pause_s} s.",
            gate="submissions_of_all",
            extra=extra,
        )


def _is_long_to_save(path: str) -> bool:
    return path in _LONG_TO_SAVE or takes_models(path)


def who_hands_in(scope: Scope) -> UUID | None:
    """Return the tenant if this request brings work."""
    if scope["type"] != "http" or scope["method"] != "POST":
        return None
    path = scope["path"]
    if not (path in _LOOKED_AT or _is_long_to_save(path) or (path.startswith("/v1/jobs/") and path.endswith("/retry"))):
        return None
    found = scope.get(IDENTITY) or scope.get(MEMBER)
    return found.tenant_id if isinstance(found, Identity) else None


JOBS = "/v1/jobs"
MAX_BYTES = 64 << 10
"""The size of the largest body that is read here. Reading a larger body is too much work."""


def refuse_known_job(scope: Scope, body: BinaryIO, length: int) -> None:
    """Refuse the job of a caller that was refused a moment ago, unless it is unreadable or has an idempotency key."""
    if not anybody_refused() or length > MAX_BYTES or scope["path"] != JOBS or UPLOAD in scope:
        return
    tenant_id = who_hands_in(scope)
    # A request with a key gets the job that was accepted earlier, however long the queue is by now.
    if tenant_id is None or header(scope, b"idempotency-key") is not None:
        return
    fields = _fields(body)
    body.seek(0)
    refuse_known(tenant_id, fields)


def _fields(body: BinaryIO) -> dict[str, str]:
    try:
        content = json.load(body)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(content, dict):
        return {}
    fields = {name: content[name] for name in ("model", "priority") if name in content}
    return fields if all(isinstance(value, str) for value in fields.values()) else {}
