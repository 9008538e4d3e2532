"""By what sums of days that are over are found. Built while others go on writing; the migration can be run again."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("tenants", "0019_invitations")]

    operations = [
        migrations.RunSQL("DROP INDEX CONCURRENTLY IF EXISTS tenants_usageday_unsettled", migrations.RunSQL.noop),
        AddIndexConcurrently(
            "usageday",
            models.Index(
                fields=["day"], condition=models.Q(("shard__lt", 48)), name="tenants_usageday_unsettled"
            ),
        ),
    ]
