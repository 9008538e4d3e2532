"""Migration operations for the second layer of protection: row-level security, and references that cannot cross
tenants.
"""

from django.db import migrations

from tenants.core.db.roles import ACCOUNTS_ROLE, APP_ROLE, OPERATOR_ROLE

__all__ = ["ACCOUNTS_ROLE", "APP_ROLE", "OPERATOR_ROLE", "fence", "protect", "refer_within_tenant"]

# This uses nullif, because the setting reads '' rather than NULL after a transaction-local setting ends.
CURRENT_TENANT = "nullif(current_setting('app.tenant', true), '')::uuid"


def protect(table: str, column: str = "tenant_id") -> migrations.RunSQL:
    """Restrict `table` so that only rows of the tenant named in the transaction exist, even for the table's owner."""
    return migrations.RunSQL(
        sql=f"""
        ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
        ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
        CREATE POLICY tenant_wall ON {table} TO {APP_ROLE}
            USING ({column} = {CURRENT_TENANT}) WITH CHECK ({column} = {CURRENT_TENANT});
        CREATE POLICY operator_door ON {table} TO {OPERATOR_ROLE} USING (true) WITH CHECK (true);
        """,
        reverse_sql=f"""
        DROP POLICY operator_door ON {table};
        DROP POLICY tenant_wall ON {table};
        ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY;
        ALTER TABLE {table} DISABLE ROW LEVEL SECURITY;
        """,
    )


def fence(table: str) -> migrations.RunSQL:
    """Refuse new rows of a tenant that is being erased; see tenants/migrations/0034_erasure_fence.py."""
    return migrations.RunSQL(
        sql=f"""
        CREATE OR REPLACE TRIGGER erasure_fence BEFORE INSERT ON {table} FOR EACH ROW
            EXECUTE FUNCTION maas_refuse_erased();
        """,
        reverse_sql=f"DROP TRIGGER erasure_fence ON {table};",
    )


def refer_within_tenant(
    table: str, column: str, target: str, on_delete: str = "NO ACTION"
) -> migrations.RunSQL:
    """Add a foreign key that includes the tenant, since Postgres checks plain foreign keys without row security."""
    name = f"{table}_{column}_same_tenant"
    return migrations.RunSQL(
        sql=f"""
        ALTER TABLE {table} ADD CONSTRAINT {name} FOREIGN KEY (tenant_id, {column})
            REFERENCES {target} (tenant_id, id) ON DELETE {on_delete} DEFERRABLE INITIALLY DEFERRED;
        """,
        reverse_sql=f"ALTER TABLE {table} DROP CONSTRAINT {name};",
    )
