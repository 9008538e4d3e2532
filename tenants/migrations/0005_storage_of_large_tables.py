from django.db import migrations

# Rows are only added. Vacuum would otherwise wait for a fifth of all rows to be added, and meanwhile no query could
# read the newest days from an index alone.
LARGE = ("tenants_usagerecord", "tenants_ledgertransaction", "tenants_ledgerentry")


class Migration(migrations.Migration):
    """Say when the large tables are vacuumed and analyzed. Writers need not wait for it."""

    dependencies = [("tenants", "0004_own_models")]
    operations = [
        migrations.RunSQL(
            "".join(
                f"ALTER TABLE {table} SET (autovacuum_vacuum_insert_scale_factor = 0.05, "
                "autovacuum_analyze_scale_factor = 0.02);"
                for table in LARGE
            )
        )
    ]
