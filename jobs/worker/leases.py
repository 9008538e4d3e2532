"""Renews the leases of all pages that this process works on, and ends the work on pages whose lease was lost."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

import structlog
from django.db import close_old_connections

from inference.core.calls import Call
from jobs.queue.claims import Claim, hand_back, renew_leases

log = structlog.get_logger(__name__)


HANG_TIMEOUT_S = 5.0
"""Seconds in which a page that is past its limit may end by itself, before its thread is considered hung."""
FAILED_AGAIN_S = 1.0
WORD_BEFORE_PAGE_S = 2.0
"""Seconds for which a cancel is remembered. It may arrive between the claim of a page and its entry here."""


@dataclass(frozen=True)
class _Held:
    claim: Claim
    call: Call

    def late_s(self, now_s: float) -> float:
        return now_s - (self.call.deadline_s or now_s)


class Leases:
    """The leases of this process. One thread renews them with one statement every third of a lease.

    The work on a page runs under its call, which is canceled with the lease: when the job is canceled, when another
    worker has taken the page over, or when this worker must stop. A page that is past the deadline of its call
    (`page_limit_s` from the claim, or sooner) ends by itself or is given up: its lease ends, another worker tries it,
    and its attempts count. The thread that hangs on it cannot be ended, so the process should be (`hung`).
    """

    def __init__(
        self, lease_s: float, page_limit_s: float = 600.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._interval_s = lease_s / 3
        self._page_limit_s = page_limit_s
        self._clock = clock
        self._held: dict[int, _Held] = {}
        self._hung: set[int] = set()
        self._canceled: dict[UUID, float] = {}
        self._ended = 0
        self._leaves = False
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="leases", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    @contextmanager
    def held(self, claim: Claim) -> Iterator[Call]:
        """Yield the call that the work runs under. Code that knows of a nearer deadline may set it."""
        now_s = self._clock()
        call = Call(tenant=str(claim.tenant_id), deadline_s=now_s + self._page_limit_s)
        with self._lock:
            leaves = self._leaves
            if not leaves:
                self._held[claim.token] = _Held(claim, call)
            is_canceled = self._canceled.get(claim.job_id, float("-inf")) > now_s - WORD_BEFORE_PAGE_S
        if leaves:
            self._hand_back(_Held(claim, call))
        if is_canceled:
            call.cancel()
        try:
            yield call
        finally:
            with self._lock:
                self._held.pop(claim.token, None)
                self._hung.discard(claim.token)
                self._ended += 1

    def holds(self, claim: Claim) -> bool:
        """Return whether the page is held: not canceled, taken over after a long silence, or given up."""
        with self._lock:
            return claim.token in self._held

    def cancel_job(self, job_id: UUID) -> None:
        """Stop the work on the pages of a job in this process. The state of the pages is decided in the database."""
        now_s = self._clock()
        with self._lock:
            self._canceled = {
                job: heard_s for job, heard_s in self._canceled.items() if heard_s > now_s - WORD_BEFORE_PAGE_S
            }
            self._canceled[job_id] = now_s
            calls = [held.call for held in self._held.values() if held.claim.job_id == job_id]
        for call in calls:
            call.cancel()

    def cancel_document(self, document_id: UUID) -> None:
        """End the work on the pages of a document in this process. The pages go back to the queue."""
        with self._lock:
            held = list(self._held.values())
        for lease in held:
            if lease.claim.document is not None and lease.claim.document.id == document_id:
                lease.call.cancel()

    @property
    def count(self) -> int:
        with self._lock:
            return len(self._held)

    @property
    def ended(self) -> int:
        """The number of pages that were worked on since the start, however they ended."""
        with self._lock:
            return self._ended

    @property
    def hung(self) -> int:
        """The number of threads that still work on a page that was given up."""
        with self._lock:
            return len(self._hung)

    def hand_back_all(self) -> None:
        """Hand back all pages of a worker that must stop, and those that are claimed after this. Another may start
        them, and this one writes nothing more.
        """
        with self._lock:
            self._leaves = True
            all_held, self._held = list(self._held.values()), {}
        # The job of a page may have been locked at that moment, so what was left is tried once more.
        for held in [held for held in all_held if not self._hand_back(held)]:
            self._hand_back(held)

    def _hand_back(self, held: _Held) -> bool:
        claim = held.claim
        try:
            done = hand_back(claim)
        except Exception:
            # The lease will end by itself. The other pages are still to be handed back.
            log.exception("page_not_handed_back", page_id=str(claim.page_id))
            return False
        finally:
            held.call.cancel()
        if done:
            log.info("page_handed_back", page_id=str(claim.page_id), job_id=str(claim.job_id))
        return done

    def renew_once(self) -> bool:
        """Renew all leases. Return False if the database did not accept it."""
        # This ends work that does not check the clock itself.
        for held in self._later_than(0):
            held.call.cancel()
        self._give_up_hung()
        with self._lock:
            claims = [held.claim for held in self._held.values()]
        return not claims or self._renew(claims)

    def _run(self) -> None:
        """Renew the leases at intervals, and sooner after a failure, so that none ends after an outage."""
        pause_s = self._interval_s
        while not self._stopping.wait(pause_s):
            pause_s = self._interval_s if self.renew_once() else min(self._interval_s, FAILED_AGAIN_S)

    def _give_up_hung(self) -> None:
        for held in self._later_than(HANG_TIMEOUT_S):
            claim = held.claim
            with self._lock:
                if self._held.pop(claim.token, None) is None:
                    continue
                self._hung.add(claim.token)
            log.error("page_stuck", page_id=str(claim.page_id), job_id=str(claim.job_id))

    def _later_than(self, seconds: float) -> list[_Held]:
        now_s = self._clock()
        with self._lock:
            return [held for held in self._held.values() if held.late_s(now_s) > seconds]

    def _renew(self, claims: list[Claim]) -> bool:
        try:
            good = renew_leases(claims)
        except Exception:
            # The database may be restarting. The lease outlives two missed renewals.
            log.exception("leases_not_renewed", pages=len(claims))
            return False
        finally:
            close_old_connections()
        for claim in claims:
            if claim.token not in good:
                self._drop(claim)
        return True

    def _drop(self, claim: Claim) -> None:
        with self._lock:
            lease = self._held.pop(claim.token, None)
        if lease is not None:
            lease.call.cancel()
            log.info(
                "page_lease_lost",
                page_id=str(claim.page_id),
                job_id=str(claim.job_id),
                fencing_token=claim.token,
            )
