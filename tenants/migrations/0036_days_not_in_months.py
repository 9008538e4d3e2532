"""By what sums are found that are in no month yet. Built while others go on writing; the migration can be run again."""

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("tenants", "0035_usage_by_month")]

    operations = [
        migrations.RunSQL(
            "DROP INDEX CONCURRENTLY IF EXISTS tenants_usageday_not_settled", migrations.RunSQL.noop
        ),
        AddIndexConcurrently(
            "usageday",
            models.Index(
                fields=["day", "tenant"],
                condition=models.Q(("shard__lt", 50)),
                name="tenants_usageday_not_settled",
            ),
        ),
        RemoveIndexConcurrently("usageday", "tenants_usageday_to_settle"),
    ]
