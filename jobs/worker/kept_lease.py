"""Keeps a lease with a separate thread while a block works, however long its steps take."""

import threading
from collections.abc import Callable
from contextlib import suppress

from django.conf import settings
from django.db import InterfaceError, OperationalError, close_old_connections


class KeptLease:
    """A lease that is renewed every third of its time. `lost` is called once if it cannot be renewed any more."""

    def __init__(self, name: str, renew: Callable[[], bool], lost: Callable[[], None]) -> None:
        self._renew = renew
        self._lost = lost
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._renew_on, name=name, daemon=True)

    def __enter__(self) -> "KeptLease":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join(settings.MAAS_LEASE_S)

    def _renew_on(self) -> None:
        while not self._ended.wait(settings.MAAS_LEASE_S / 3):
            # The database may be restarting. The lease outlives two missed renewals, and every write checks it.
            with suppress(OperationalError, InterfaceError):
                if not self._renew():
                    self._lost()
                    break
        close_old_connections()
