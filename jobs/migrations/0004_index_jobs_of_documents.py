from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("jobs", "0003_reading_flags_indexes")]
    operations = [
        AddIndexConcurrently(
            model_name="job",
            index=models.Index(
                fields=["tenant", "-id"],
                condition=models.Q(("document__isnull", False), ("erased_at__isnull", True)),
                name="jobs_job_with_document",
            ),
        )
    ]
