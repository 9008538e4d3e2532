"""Renews the leases of all pages this process works on, and says which were lost."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from django.db import close_old_connections

from jobs.dispatch.claims import Claim, hand_back, renew_leases

log = structlog.get_logger(__name__)


class Leases:
    """One thread, one statement per page every third of a lease."""

    def __init__(self, lease_s: float) -> None:
        self._interval_s = lease_s / 3
        self._held: dict[int, Claim] = {}
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
            self._held[claim.token] = claim
        try:
            yield
        finally:
            with self._lock:
                self._held.pop(claim.token, None)

    def hand_back_all(self) -> None:
        """For a worker that must stop now: another may start these pages at once, and this one is fenced off."""
        with self._lock:
            claims, self._held = list(self._held.values()), {}
        for claim in claims:
            hand_back(claim)
            log.info("page_handed_back", page_id=str(claim.page_id), job_id=str(claim.job_id))

    @property
    def count(self) -> int:
        with self._lock:
            return len(self._held)

    def _run(self) -> None:
        while not self._stopping.wait(self._interval_s):
            with self._lock:
                claims = list(self._held.values())
            if claims:
                self._renew(claims)

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
