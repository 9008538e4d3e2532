"""Runs the tasks of models for a worker: the checks of uploads in a thread, and long work in a process of its own."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import structlog
from django.conf import settings
from django.db import InterfaceError, OperationalError

from inference.core.calls import Call
from inference.registry.models import ModelTask
from inference.registry.task_runs import run_task
from inference.registry.tasks.claims import claim_task, renew, task_waits
from jobs.core.errors import StorageUnavailable
from jobs.worker.kept_lease import KeptLease
from jobs.worker.rounds import Rounds

log = structlog.get_logger(__name__)
Kind = ModelTask.Kind
QUICK = (Kind.VALIDATE,)
LONG = (Kind.MEASURE, Kind.OPTIMIZE, Kind.REPLAY)
_PASSING = (OperationalError, InterfaceError, StorageUnavailable, OSError)


def work_on_task(worker: str, kinds: tuple[str, ...], call: Call) -> bool:
    """Work on one task of these kinds. Return whether there was one. A canceled call hands the task back."""
    claim = claim_task(worker, kinds)
    if claim is None:
        return False
    with KeptLease(f"{claim.kind}-lease", lambda: renew(claim), call.cancel):
        outcome = run_task(claim, call, passes=lambda error: isinstance(error, _PASSING))
    log.info("model_task_done", task_id=str(claim.task_id), kind=claim.kind, outcome=outcome, attempt=claim.attempt)
    return True


class ModelChecks:
    """The thread that checks uploads. The process starts and stops it."""

    def __init__(self, worker: str) -> None:
        self._worker = worker
        self._call = Call()
        self._rounds = Rounds("model-checks", self.work_once)

    def start(self) -> None:
        self._rounds.start()

    def stop(self, timeout_s: float) -> None:
        """Stop the thread. The check under way is handed back."""
        self._rounds.stopping.set()
        self._call.cancel()
        self._rounds.stop(timeout_s)

    def work_once(self) -> bool:
        self._call = Call()
        if self._rounds.stopping.is_set():
            return False
        return work_on_task(self._worker, QUICK, self._call)


class ModelFactory:
    """The thread that starts a process for each long task, so that neither its memory nor its crash is the worker's."""

    def __init__(self, worker: str) -> None:
        self._worker = worker
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._rounds = Rounds("model-factory", self.work_once)

    def start(self) -> None:
        self._rounds.start()

    def stop(self, timeout_s: float) -> None:
        """Stop the process. Its task is handed back, or its lease ends."""
        self._rounds.stopping.set()
        with self._lock:
            process = self._process
        if process is not None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(timeout_s)
            except subprocess.TimeoutExpired:
                process.kill()
        self._rounds.stop(timeout_s)

    def work_once(self) -> bool:
        if not task_waits(LONG):
            return False
        script, parent = str(Path(settings.BASE_DIR, "manage.py")), os.getpid()
        command = [sys.executable, script, "model_task", f"--worker={self._worker}", f"--parent={parent}"]
        with self._lock:
            if self._rounds.stopping.is_set():
                return False
            # A session of its own has its own share of the processor, which it can give away.
            self._process = subprocess.Popen(command, start_new_session=True)
        status = self._process.wait()
        if status:
            log.warning("model_factory_ended", status=status)
        return status == 0
