"""Counts what was stored before anything was counted, without holding up who stores meanwhile."""

from importlib import import_module

from django.db import migrations

COUNT = import_module("jobs.migrations.0040_stored_bytes").COUNT


class Migration(migrations.Migration):
    dependencies = [("jobs", "0040_stored_bytes")]

    operations = [migrations.RunSQL(COUNT, migrations.RunSQL.noop)]
