"""Keep the requests that a worker holds, and the runs that serve them. Equal requests share a run."""

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Literal, Protocol

from inference.core.calls import Call
from inference.core.contracts import Json, WorkOutput
from inference.rpc.frames import Buffer
from inference.rpc.keys import Entry
from inference.rpc.socket_server import Connection
from inference.rpc.works import LaneWork

CANCELS_REMEMBERED = 10_000
"""The most cancellations that are remembered. Every worker receives all cancellations, most of them for requests that
it will never see.
"""


@dataclass(slots=True, eq=False)
class LaneRequest:
    """A request that a worker must serve."""

    model_key: str
    work: LaneWork
    parameters: Mapping[str, Json]
    call: Call


@dataclass(slots=True, eq=False)
class Taken:
    """A request that was taken from its queue. Its times are on the clock of `time.monotonic`."""

    model_key: str
    request_id: str
    tenant: str
    coalesce: str
    """The coalesce key, which is empty for requests that share no run."""
    payload: Buffer | None
    """The payload, or None if it is stored under a separate key."""
    deadline_s: float
    queue_s: float
    load_s: float = 0.0
    """The time that it waited for its model to load before it was taken."""
    entry: Entry | None = None
    """The entry of the queue in Redis from which it was taken."""
    replies: str = ""
    """The list on which its client waits for the answer by Redis."""
    connection: Connection | None = None
    """The connection that brought it, or None if it was taken from Redis."""
    number: int = 0
    """The number by which the connection's other side knows it."""


class Result(Protocol):
    def result(self) -> WorkOutput:
        """Return the output, or raise what went wrong."""


@dataclass(eq=False, slots=True)
class Run:
    """A call of the model, for one request or for several equal ones."""

    model_key: str
    alike: tuple[str, str, str] | None
    """The model, tenant and coalesce key. The tenant is included so that tenants never share a run."""
    call: Call
    members: dict[str, Taken]
    payload: bytes = b""
    """The payload that was read from a separate key. It is kept in case the request is given back."""
    answering: bool = False
    begun: bool = False
    """True if no thread waits for the run, so that it takes no slots."""
    began_s: float = 0.0
    result: Result | Exception | None = None
    """The work that was begun without a thread, or the error that refused it."""
    steps: "count[int]" = field(default_factory=count)
    """A counter of the two steps before the answer of a begun run: it has ended, and `result` is known. Either step may
    be the first.
    """

    @property
    def slots(self) -> int:
        return max(1, len(self.members))

    def ended(self) -> WorkOutput:
        """Return the output of what was begun and has ended, or raise what went wrong."""
        if isinstance(self.result, Exception):
            raise self.result
        assert self.result is not None
        return self.result.result()

    @property
    def inline(self) -> Buffer | None:
        """Return the payload that came with the request of one of its callers."""
        payloads = [taken.payload for taken in list(self.members.values())]
        return next((payload for payload in payloads if payload is not None), None)


Settled = Literal["coalesced", "canceled", "expired"]


class Hand:
    """The requests that a worker holds, bounded by slots. Every request that a thread serves takes one slot, and so
    does every run without requests.

    Any thread may call the methods.
    """

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._used = 0
        self._reserved = 0
        self._runs: set[Run] = set()
        self._alike: dict[tuple[str, str, str], Run] = {}
        self._by_request: dict[str, Run] = {}
        self._canceled: OrderedDict[str, None] = OrderedDict()
        self._changed = threading.Condition()

    def reserve(self, most: int, timeout_s: float = 0.0) -> int:
        """Reserve slots for up to this many requests that may arrive. Return the number, which is 0 if none becomes
        free in time. It must be given back in any case.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._room > 0, timeout_s)
            reserved = min(most, max(0, self._room))
            self._reserved += reserved
            return reserved

    def unreserve(self, reserved: int) -> None:
        with self._changed:
            self._reserved -= reserved
            self._changed.notify_all()

    def add(self, taken: Sequence[Taken]) -> list[Run | Settled]:
        """Return for each request a run to be started, or a reason if a run in progress serves it too, or if nobody
        waits for it any more.
        """
        with self._changed:
            return [self._add(one) for one in taken]

    def _add(self, taken: Taken) -> Run | Settled:
        request_id, same = taken.request_id, taken.coalesce
        if request_id in self._canceled:
            del self._canceled[request_id]
            return "canceled"
        alike = (taken.model_key, taken.tenant, same) if same else None
        run = self._alike.get(alike) if alike is not None else None
        if run is not None:
            self._used += not run.begun
            run.members[request_id] = taken
            self._by_request[request_id] = run
            run.call.deadline_s = max(run.call.deadline_s or 0.0, taken.deadline_s)
            return "coalesced"
        call = Call(tenant=taken.tenant, deadline_s=taken.deadline_s)
        run = Run(taken.model_key, alike, call, {request_id: taken})
        self._used += 1
        self._runs.add(run)
        self._by_request[request_id] = run
        if alike is not None:
            self._alike[alike] = run
        return run

    def cancel(self, request_id: str) -> bool:
        """Cancel the request. Return True if it was held; otherwise the cancellation is remembered, because the request
        may be on its way here.
        """
        with self._changed:
            run = self._by_request.pop(request_id, None)
            if run is None:
                self._canceled[request_id] = None
                if len(self._canceled) > CANCELS_REMEMBERED:
                    self._canceled.popitem(last=False)
                return False
            self._drop_member(run, request_id)
            abandoned = not run.members
            if abandoned:
                self._forget_likeness(run)
        if abandoned:
            run.call.cancel()
        return True

    def begun(self, runs: Sequence[Run]) -> None:
        """Note that the runs need no thread from now on."""
        with self._changed:
            for run in runs:
                if run in self._runs and not run.begun:
                    self._used -= run.slots
                    run.begun = True
            self._changed.notify_all()

    @property
    def runs(self) -> int:
        return len(self._runs)

    def requests(self) -> list[str]:
        """Return the ids of the requests that are held and were taken from Redis."""
        with self._changed:
            return [
                request_id for request_id, run in self._by_request.items() if run.members[request_id].connection is None
            ]

    def of_connection(self, connection: Connection) -> list[str]:
        """Return the ids of the requests that are held and came by this connection."""
        with self._changed:
            return [
                request_id
                for request_id, run in self._by_request.items()
                if run.members[request_id].connection is connection
            ]

    def renew(self, run: Run, now_s: float) -> bool:
        """Renew the run after its deadline. Return True if a caller joined who still has time; a thread then runs it
        again.
        """
        with self._changed:
            for request_id, taken in list(run.members.items()):
                if taken.deadline_s <= now_s:
                    del self._by_request[request_id]
                    self._drop_member(run, request_id)
            if not run.members:
                return False
            latest_s = max(taken.deadline_s for taken in run.members.values())
            run.call = Call(tenant=run.call.tenant, deadline_s=latest_s, spent=run.call.spent)
            self._used += run.slots if run.begun else 0
            run.begun = False
            return True

    def end(self, runs: Sequence[Run]) -> list[tuple[Taken, ...]]:
        """End the runs, so that no request joins them any more. Return for each the requests that still wait for its
        answer, or none if it was given up.
        """
        with self._changed:
            return [self._conclude(run) if run in self._runs else () for run in runs]

    def release(self, runs: Sequence[Run]) -> None:
        """Free the slots of runs that have been answered."""
        with self._changed:
            for run in runs:
                if run in self._runs:
                    self._remove(run)
            self._changed.notify_all()

    def settle(self, timeout_s: float) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: not self._runs, timeout_s)

    def give_up(self) -> list[tuple[Run, tuple[Taken, ...]]]:
        """Drop all requests that are not being answered and return them. Their runs end by themselves, and no caller
        gets their results.
        """
        with self._changed:
            unfinished = [run for run in self._runs if not run.answering]
            left = [(run, self._conclude(run)) for run in unfinished]
            for run in unfinished:
                self._remove(run)
            self._changed.notify_all()
        for run in unfinished:
            run.call.cancel()
        return left

    @property
    def _room(self) -> int:
        return self._slots - self._used - self._reserved

    def _conclude(self, run: Run) -> tuple[Taken, ...]:
        run.answering = True
        self._forget_likeness(run)
        for request_id in run.members:
            self._by_request.pop(request_id, None)
        return tuple(run.members.values())

    def _remove(self, run: Run) -> None:
        self._runs.remove(run)
        self._used -= 0 if run.begun else run.slots

    def _drop_member(self, run: Run, request_id: str) -> None:
        before = run.slots
        del run.members[request_id]
        self._used -= 0 if run.begun else before - run.slots
        self._changed.notify_all()

    def _forget_likeness(self, run: Run) -> None:
        if run.alike is not None and self._alike.get(run.alike) is run:
            del self._alike[run.alike]
