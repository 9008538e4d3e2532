"""What is erased takes nothing in: of jobs' tables those to whose rows all other rows of theirs refer."""

from django.db import migrations

from tenants.core.db.row_security import (fence)

TABLES = (
    "jobs_archive",
    "jobs_batch",
    "jobs_document",
    "jobs_idempotencykey",
    "jobs_job",
    "jobs_resumableupload",
    "jobs_storedfile",
    "jobs_webhookendpoint",
    "jobs_webhooksecret",
)


class Migration(migrations.Migration):
    """Each by itself: whoever holds two of these tables at once never waits for it in a circle."""

    atomic = False
    dependencies = [("jobs", "0041_count_stored_bytes"), ("tenants", "0034_erasure_fence")]

    operations = [fence(table) for table in TABLES]
