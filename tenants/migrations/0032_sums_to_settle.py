"""By what sums are found that are in no total yet. Built while others go on writing; the migration can be run again."""

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("tenants", "0031_usage_totals")]

    operations = [
        migrations.RunSQL("DROP INDEX CONCURRENTLY IF EXISTS tenants_usageday_to_settle", migrations.RunSQL.noop),
        AddIndexConcurrently(
            "usageday",
            models.Index(
                fields=["day", "tenant"],
                condition=models.Q(("shard__lt", 49)),
                name="tenants_usageday_to_settle",
            ),
        ),
        RemoveIndexConcurrently("usageday", "tenants_usageday_unsettled"),
    ]
