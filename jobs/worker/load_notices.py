"""Publishes that pages wait for their model, in a separate thread: no load waits for the database or a lock."""

import queue
import threading

import structlog
from django.db import connections

from jobs.queue.claims import Claim, say_loading

log = structlog.get_logger(__name__)
MAX_WAITING = 100
"""The notifications that may wait: more than the pages that a worker holds. Older ones are out of date."""


class LoadNews:
    """Notifies clients that watch a job, with one thread for all pages. No page depends on this."""

    def __init__(self) -> None:
        self._waiting: queue.Queue[Claim] = queue.Queue(MAX_WAITING)
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    def tell(self, claim: Claim) -> None:
        try:
            self._waiting.put_nowait(claim)
        except queue.Full:
            log.warning(
                "model_loading_not_recorded",
                job_id=str(claim.job_id),
                error="the queue of load notices is full",
            )
            return
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="load-news", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            claim = self._waiting.get()
            try:
                say_loading(claim)
            except Exception as error:
                log.warning("model_loading_not_recorded", job_id=str(claim.job_id), error=str(error))
            finally:
                connections.close_all()
