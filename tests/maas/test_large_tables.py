"""Tests that the tables with millions of rows say when they are vacuumed: by the defaults, much too late."""

import pytest
from django.db import connections

LARGE = (
    "jobs_event",
    "jobs_job",
    "jobs_page",
    "jobs_pagetext",
    "tenants_ledgerentry",
    "tenants_ledgertransaction",
    "tenants_usagerecord",
)


@pytest.mark.parametrize("table", LARGE)
def test_a_large_table_is_vacuumed_before_a_fifth_of_it_has_changed(table: str) -> None:
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT (pg_options_to_table(reloptions)).* FROM pg_class WHERE oid = %s::regclass", [table])
        settings = dict(cursor.fetchall())
    assert float(settings["autovacuum_vacuum_insert_scale_factor"]) <= 0.05
    assert float(settings["autovacuum_analyze_scale_factor"]) <= 0.02
