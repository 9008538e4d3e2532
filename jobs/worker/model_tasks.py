"""Runs the tasks of models in a worker: the checks of uploads in one thread, and long work on models in another."""

import threading

import structlog
from django.db import InterfaceError, OperationalError

from inference.core.calls import Call
from inference.registry.models import ModelTask
from inference.registry.task_runs import run_task
from inference.registry.tasks.claims import claim_task, renew
from jobs.core.errors import StorageUnavailable
from jobs.worker.kept_lease import KeptLease
from jobs.worker.rounds import Rounds

log = structlog.get_logger(__name__)
Kind = ModelTask.Kind
QUICK = (Kind.VALIDATE,)
LONG = (Kind.MEASURE, Kind.OPTIMIZE, Kind.REPLAY)
_PASSING = (OperationalError, InterfaceError, StorageUnavailable, OSError)


class ModelTaskWorker:
    """A thread of a worker process that works on tasks of some kinds. The process starts and stops it."""

    def __init__(self, worker: str, name: str, kinds: tuple[str, ...]) -> None:
        self._worker = worker
        self._kinds = kinds
        self._call: Call | None = None
        self._lock = threading.Lock()
        self._rounds = Rounds(name, self.work_once)

    def start(self) -> None:
        self._rounds.start()

    def stop(self, timeout_s: float) -> None:
        """Stop the thread. The task under way is handed back."""
        self._rounds.stopping.set()
        with self._lock:
            call = self._call
        if call is not None:
            call.cancel()
        self._rounds.stop(timeout_s)

    def work_once(self) -> bool:
        """Work on one task. Return whether there was anything to do."""
        claim = claim_task(self._worker, self._kinds)
        if claim is None:
            return False
        call = Call(tenant=str(claim.tenant_id or ""))
        with self._lock:
            self._call = call
        if self._rounds.stopping.is_set():
            call.cancel()
        with KeptLease(f"{claim.kind}-lease", lambda: renew(claim), call.cancel):
            outcome = run_task(claim, call, passes=lambda error: isinstance(error, _PASSING))
        with self._lock:
            self._call = None
        log.info("model_task_done", task_id=str(claim.task_id), kind=claim.kind, outcome=outcome, attempt=claim.attempt)
        return True


def model_task_workers(worker: str) -> tuple[ModelTaskWorker, ...]:
    """Return the threads of a worker: an upload does not wait for the optimization of another model."""
    return (ModelTaskWorker(worker, "model-checks", QUICK), ModelTaskWorker(worker, "model-factory", LONG))
