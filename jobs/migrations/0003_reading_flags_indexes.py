from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("jobs", "0002_reading_flags")]

    operations = [
        AddIndexConcurrently(
            model_name="job",
            index=models.Index(
                condition=models.Q(("class_label", ""), _negated=True),
                fields=["tenant", "class_label", "-id"],
                name="jobs_job_by_class",
            ),
        ),
        AddIndexConcurrently(
            model_name="job",
            index=models.Index(
                condition=models.Q(("pages_to_review__gt", 0)), fields=["tenant", "-id"], name="jobs_job_to_review"
            ),
        ),
        AddIndexConcurrently(
            model_name="page",
            index=models.Index(condition=models.Q(("needs_review", True)), fields=["-id"], name="jobs_page_to_review"),
        ),
    ]
