"""Repeats a piece of work while the database is unavailable: a restart or a failover must not cost the work itself."""

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
    """Run `do`, which is one transaction and safe to repeat, until it succeeds. The last error is raised if
    `keep_trying` returns False. An error that is about the work is raised at once: what is too large for the
    database now will also be too large later.
    """
    pause_s = FIRST_PAUSE_S
    while True:
        try:
            return do()
        except (OperationalError, InterfaceError) as error:
            if not may_pass(error):
                raise
            # The state of the connection is lost with it. The next try opens a new connection.
            connections.close_all()
            if not keep_trying():
                raise
            log.warning("database_unavailable", error=str(error).strip(), pause_s=pause_s)
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
