"""A thread that works in rounds beside the pages of a worker, and survives failures and lost connections."""

import threading
from collections.abc import Callable

import structlog
from django.db import InterfaceError, OperationalError, close_old_connections

log = structlog.get_logger(__name__)
LOOK_EVERY_S = 1.0


class Rounds:
    """Calls `work_once` again and again, and waits a second whenever there was nothing to do or a round failed."""

    def __init__(self, name: str, work_once: Callable[[], bool]) -> None:
        self._name = name
        self._work_once = work_once
        self.stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self, timeout_s: float) -> None:
        self.stopping.set()
        if self._thread.is_alive():
            self._thread.join(timeout_s)

    def _run(self) -> None:
        while not self.stopping.is_set():
            try:
                worked = self._work_once()
            except (OperationalError, InterfaceError) as error:
                log.warning("database_unavailable", error=str(error).strip())
                worked = False
            except Exception:
                log.exception("round_failed", thread=self._name)
                worked = False
            finally:
                close_old_connections()
            if not worked:
                self.stopping.wait(LOOK_EVERY_S)
