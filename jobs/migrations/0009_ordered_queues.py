from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("jobs", "0008_queue_at")]

    operations = [
        AddIndexConcurrently(
            model_name="page",
            index=models.Index(
                condition=models.Q(("renotify_at__isnull", True), ("state", "queued")),
                fields=["model_version", "priority", "tenant", "queue_at", "id", "run_after"],
                name="jobs_page_ordered_queues",
            ),
        ),
        RemoveIndexConcurrently(model_name="page", name="jobs_page_tenant_queues"),
    ]
