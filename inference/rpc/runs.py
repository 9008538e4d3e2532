"""The requests that a worker has in hand, and the runs that serve them: those alike share one."""

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from inference.core.calls import Call
from inference.core.contracts import Json
from inference.rpc.envelopes import RequestEnvelope
from inference.rpc.keys import Entry
from inference.rpc.works import LaneWork

CANCELS_REMEMBERED = 10_000
"""Words of cancel are heard by every worker, for requests that most of them will never see."""


@dataclass(frozen=True, slots=True)
class LaneRequest:
    """What a worker is asked to serve."""

    model_key: str
    work: LaneWork
    parameters: Mapping[str, Json]
    call: Call


@dataclass(frozen=True, slots=True)
class Taken:
    """A request out of its lane; times on the clock of `time.monotonic`."""

    model_key: str
    entry: Entry
    envelope: RequestEnvelope
    deadline_s: float
    queue_s: float
    load_s: float = 0.0
    """What it waited for its model to be loaded, before it was taken."""


@dataclass(eq=False, slots=True)
class Run:
    """One call of the model, for one request or for several that want the same."""

    model_key: str
    alike: tuple[str, str, str] | None
    """Model, tenant and coalesce key: never shared between tenants."""
    call: Call
    members: dict[str, Taken]
    payload: bytes = b""
    """As read from its claim, kept to be given back."""
    answering: bool = False
    begun: bool = False
    """No thread waits for it, so it takes no slots."""

    @property
    def slots(self) -> int:
        return max(1, len(self.members))


Settled = Literal["coalesced", "canceled", "expired"]


class Hand:
    """Bounded by slots, of which every request that a thread serves and every run without one takes one.

    Any thread may ask.
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
        """Room for so many that may come, none where there is none in time; to be given back whatever comes."""
        with self._changed:
            self._changed.wait_for(lambda: self._room > 0, timeout_s)
            reserved = min(most, max(0, self._room))
            self._reserved += reserved
            return reserved

    def unreserve(self, reserved: int) -> None:
        with self._changed:
            self._reserved -= reserved
            self._changed.notify_all()

    def add(self, taken: Taken) -> Run | Settled:
        """A run to be started, unless one that goes on serves it too or nobody waits for it any more."""
        entry, same = taken.entry, taken.envelope.coalesce
        alike = None if not same else (taken.model_key, entry.tenant, same)
        with self._changed:
            if entry.request_id in self._canceled:
                del self._canceled[entry.request_id]
                return "canceled"
            run = self._alike.get(alike) if alike is not None else None
            if run is not None:
                self._used += not run.begun
                run.members[entry.request_id] = taken
                self._by_request[entry.request_id] = run
                run.call.deadline_s = max(run.call.deadline_s or 0.0, taken.deadline_s)
                return "coalesced"
            call = Call(tenant=entry.tenant, deadline_s=taken.deadline_s)
            run = Run(taken.model_key, alike, call, {entry.request_id: taken})
            self._used += 1
            self._runs.add(run)
            self._by_request[entry.request_id] = run
            if alike is not None:
                self._alike[alike] = run
            return run

    def cancel(self, request_id: str) -> bool:
        """True when it was in hand. Else it is remembered, since it may be on its way here."""
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

    def begun(self, run: Run) -> None:
        """It needs no thread from now on."""
        with self._changed:
            if run in self._runs and not run.begun:
                self._used -= run.slots
                run.begun = True
                self._changed.notify_all()

    @property
    def runs(self) -> int:
        return len(self._runs)

    def requests(self) -> list[str]:
        """Those in hand, by id."""
        with self._changed:
            return list(self._by_request)

    def renew(self, run: Run, now_s: float) -> bool:
        """After a deadline: True when somebody joined who still has time, for whom a thread begins again."""
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

    def end(self, run: Run) -> tuple[Taken, ...]:
        """Those who still wait for its answer; none where it was given up. Nobody joins it any more."""
        with self._changed:
            return self._conclude(run) if run in self._runs else ()

    def release(self, run: Run) -> None:
        """Once answered: its room is free."""
        with self._changed:
            if run in self._runs:
                self._remove(run)

    def settle(self, timeout_s: float) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: not self._runs, timeout_s)

    def give_up(self) -> list[tuple[Run, tuple[Taken, ...]]]:
        """Everything that is not being answered, out of hand at once; the runs end by themselves, for nobody."""
        with self._changed:
            unfinished = [run for run in self._runs if not run.answering]
            left = [(run, self._conclude(run)) for run in unfinished]
            for run in unfinished:
                self._remove(run)
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
        self._changed.notify_all()

    def _drop_member(self, run: Run, request_id: str) -> None:
        before = run.slots
        del run.members[request_id]
        self._used -= 0 if run.begun else before - run.slots
        self._changed.notify_all()

    def _forget_likeness(self, run: Run) -> None:
        if run.alike is not None and self._alike.get(run.alike) is run:
            del self._alike[run.alike]
