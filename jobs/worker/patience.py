"""Keeps at a piece of work while the database is away: a restart or a failover must not cost the work itself."""

import time
from collections.abc import Callable
from typing import TypeVar

import structlog
from django.db import InterfaceError, OperationalError, connections

from tenants.core.db.failures import may_pass

log = structlog.get_logger(__name__)
Done = TypeVar("Done")
FIRST_PAUSE_S = 0.2
LONGEST_PAUSE_S = 2.0


def while_database_is_away(do: Callable[[], Done], *, keep_trying: Callable[[], bool]) -> Done:
    """`do` is one transaction, safe to repeat. The last error is raised when it is not worth it any more, and at once
    where it is about the work: what is too large for the database now will be so tomorrow."""
    pause_s = FIRST_PAUSE_S
    while True:
        try:
            return do()
        except (OperationalError, InterfaceError) as error:
            if not may_pass(error):
                raise
            # What the connection knew is gone with it; the next try opens a new one.
            connections.close_all()
            if not keep_trying():
                raise
            log.warning("database_away", error=str(error).strip(), pause_s=pause_s)
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
