"""Renews the leases of all pages this process works on, and says which were lost."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import structlog
from django.db import close_old_connections

from jobs.dispatch.claims import Claim, hand_back, renew_leases

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class _Held:
    claim: Claim
    since_s: float


class Leases:
    """One thread, one statement per page every third of a lease.

    A page that takes longer than `page_limit_s` is given up: its lease ends, another worker tries it, its attempts
    count. The thread that hangs on it cannot be ended, so the process should be (`hung`).
    """

    def __init__(
        self, lease_s: float, page_limit_s: float = 600.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._interval_s = lease_s / 3
        self._page_limit_s = page_limit_s
        self._clock = clock
        self._held: dict[int, _Held] = {}
        self._hung: set[int] = set()
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
    def held(self, claim: Claim) -> Iterator[None]:
        with self._lock:
            self._held[claim.token] = _Held(claim, self._clock())
        try:
            yield
        finally:
            with self._lock:
                self._held.pop(claim.token, None)
                self._hung.discard(claim.token)

    def holds(self, claim: Claim) -> bool:
        """False once a renewal was refused: canceled, taken over after a long silence, or given up."""
        with self._lock:
            return claim.token in self._held

    @property
    def count(self) -> int:
        with self._lock:
            return len(self._held)

    @property
    def hung(self) -> int:
        """Threads that still work on a page that was given up."""
        with self._lock:
            return len(self._hung)

    def hand_back_all(self) -> None:
        """For a worker that must stop now: another may start these pages at once, and this one is fenced off."""
        with self._lock:
            claims, self._held = [held.claim for held in self._held.values()], {}
        for claim in claims:
            try:
                hand_back(claim)
                log.info("page_handed_back", page_id=str(claim.page_id), job_id=str(claim.job_id))
            except Exception:
                # The lease will end by itself; the others are still to be handed back.
                log.exception("page_not_handed_back", page_id=str(claim.page_id))

    def renew_once(self) -> None:
        self._give_up_hung()
        with self._lock:
            claims = [held.claim for held in self._held.values()]
        if claims:
            self._renew(claims)

    def _run(self) -> None:
        while not self._stopping.wait(self._interval_s):
            self.renew_once()

    def _give_up_hung(self) -> None:
        oldest_s = self._clock() - self._page_limit_s
        with self._lock:
            hung = [held.claim for held in self._held.values() if held.since_s < oldest_s]
            for claim in hung:
                del self._held[claim.token]
                self._hung.add(claim.token)
        for claim in hung:
            log.error(
                "page_hangs", page_id=str(claim.page_id), job_id=str(claim.job_id), limit_s=self._page_limit_s
            )

    def _renew(self, claims: list[Claim]) -> None:
        try:
            good = renew_leases(claims)
        except Exception:
            # The database may be restarting; the lease outlives two missed renewals.
            log.exception("leases_not_renewed", pages=len(claims))
            return
        finally:
            close_old_connections()
        for claim in claims:
            if claim.token not in good:
                self._drop(claim)

    def _drop(self, claim: Claim) -> None:
        with self._lock:
            known = self._held.pop(claim.token, None)
        if known is not None:
            log.info("fenced", page_id=str(claim.page_id), job_id=str(claim.job_id), token=claim.token)
