"""A duty that may have to wait for others runs beside those that must not."""

import threading
from collections.abc import Callable

import structlog
from django.db import connections

log = structlog.get_logger(__name__)


class Aside:
    """Calling it starts the duty in a thread of its own, or does nothing while the last one still runs."""

    def __init__(self, do: Callable[[], object]) -> None:
        self._do = do
        self._thread: threading.Thread | None = None

    def __call__(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()

    def _run(self) -> None:
        try:
            self._do()
        except Exception:
            log.exception("duty_failed")
        finally:
            connections.close_all()
