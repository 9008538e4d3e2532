"""A migration operation for references that cannot cross tenants."""

from collections.abc import Iterable

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

Reference = tuple[str, str, str, str]
"""A table, its column, the table that the column refers to, and what happens when the row referred to is deleted."""

_ADD = """
ALTER TABLE {table} ADD CONSTRAINT {table}_{column}_same_tenant FOREIGN KEY (tenant_id, {column})
    REFERENCES {target} (tenant_id, id) ON DELETE {on_delete} DEFERRABLE INITIALLY DEFERRED
"""


def refer_within_tenant(references: Iterable[Reference]) -> migrations.RunPython:
    """Add foreign keys with the tenant, at the migration's end: Postgres checks plain ones without row security."""
    statements = [
        _ADD.format(table=table, column=column, target=target, on_delete=on_delete)
        for table, column, target, on_delete in references
    ]

    def add(_: Apps, editor: BaseDatabaseSchemaEditor) -> None:
        editor.deferred_sql.extend(statements)

    return migrations.RunPython(add, elidable=False)
