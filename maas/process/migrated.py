"""Waits until the database has the tables of this version, so that new code never works on old tables."""

import threading

import structlog
from django.db import DatabaseError, connections

from maas.process.health import MigrationCheck, NotReady
from tenants.core.db.unit_of_work import APP

log = structlog.get_logger(__name__)
LOOK_EVERY_S = 1.0


def wait_until_migrated(stopping: threading.Event) -> None:
    """Return once all migrations and SQL files of this version are applied, or when the process is told to stop."""
    check, said = MigrationCheck(), ""
    while not stopping.is_set():
        try:
            check()
            return
        except (NotReady, DatabaseError) as error:
            # A connection that failed would be used again.
            connections[APP].close()
            if str(error) != said:
                said = str(error)
                log.warning("waiting_for_migrations", reason=said.strip())
        stopping.wait(LOOK_EVERY_S)
