"""Indexes by which the operator's lists and home find rows among millions, of all tenants at once.

Each is built while others go on writing, and so outside of a transaction. What an attempt that was broken off has left is
taken away first: the migration can be run again.
"""

from collections.abc import Iterator

import django.contrib.postgres.indexes
import django.db.models.functions.text
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.migrations.operations.base import Operation

INDEXES: tuple[tuple[str, models.Index], ...] = (
    (
        "document",
        models.Index(
            django.contrib.postgres.indexes.OpClass(
                django.db.models.functions.text.Upper("name"), "text_pattern_ops"
            ),
            name="jobs_document_by_name",
        ),
    ),
    (
        "job",
        models.Index(
            condition=models.Q(("state", "succeeded"), _negated=True),
            fields=["state", "-id"],
            name="jobs_job_unsuccessful",
        ),
    ),
    (
        "job",
        models.Index(
            condition=models.Q(("error_code", ""), _negated=True),
            fields=["error_code", "-id"],
            name="jobs_job_by_error",
        ),
    ),
    (
        "job",
        models.Index(
            condition=models.Q(("api_key_id__isnull", False)),
            fields=["api_key_id", "-id"],
            name="jobs_job_of_key",
        ),
    ),
    (
        "page",
        models.Index(
            condition=models.Q(("state", "succeeded"), _negated=True),
            fields=["state", "-id"],
            name="jobs_page_unsuccessful",
        ),
    ),
    (
        "page",
        models.Index(
            condition=models.Q(("error_code", ""), _negated=True),
            fields=["error_code", "-id"],
            name="jobs_page_by_error",
        ),
    ),
    (
        "page",
        models.Index(fields=["model_version", "-id"], name="jobs_page_of_version"),
    ),
    (
        "page",
        models.Index(
            condition=models.Q(("worker", ""), _negated=True),
            fields=["worker", "-id"],
            name="jobs_page_by_worker",
        ),
    ),
    (
        "page",
        models.Index(
            condition=models.Q(("finished_at__isnull", False)),
            fields=["finished_at"],
            include=("state", "error_code"),
            name="jobs_page_finished",
        ),
    ),
)


def built_beside_writers() -> Iterator[Operation]:
    for model, index in INDEXES:
        yield migrations.RunSQL(f"DROP INDEX CONCURRENTLY IF EXISTS {index.name}", migrations.RunSQL.noop)
        yield AddIndexConcurrently(model_name=model, index=index)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("inference", "0001_initial"),
        ("jobs", "0005_idempotency_keys"),
        ("tenants", "0003_keys_in_use"),
    ]

    operations = [*built_beside_writers()]
