"""`manage.py migrate`: Django's command, followed by the SQL files of the apps.

A database with migrations that this version does not know is refused before anything is changed.
"""

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from tenants.core.db.applied_sql import apply_sql, sql_files

_UNKNOWN = (
    "This database has a migration that this version does not know ({app}.{name}), so it was made by a newer version "
    "or by one before the first release: nothing was changed; use that version, or an empty database (another "
    "MAAS_HOME)."
)


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        _refuse_unknown(options["database"])
        super().handle(*args, **options)
        if not options["plan"] and not options["check_unapplied"]:
            _apply_sql(options["database"])


def _refuse_unknown(alias: str) -> None:
    executor = MigrationExecutor(connections[alias])
    on_disk = executor.loader.disk_migrations or {}
    ours = {app for app, _ in on_disk}
    for app, name in sorted(MigrationRecorder(connections[alias]).applied_migrations()):
        if app in ours and (app, name) not in on_disk:
            raise CommandError(_UNKNOWN.format(app=app, name=name))


def _apply_sql(alias: str) -> None:
    """Apply the files when the last migration is applied, since they name tables of all apps."""
    executor = MigrationExecutor(connections[alias])
    if not executor.migration_plan(executor.loader.graph.leaf_nodes()):
        apply_sql(connections[alias], sql_files())
