"""Keys under which submissions may be sent again."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import tenants.core.ids
from tenants.core.db.row_security import (protect, refer_within_tenant)


class Migration(migrations.Migration):
    dependencies = [("jobs", "0004_search"), ("tenants", "0002_walls")]

    operations = [
        migrations.CreateModel(
            name="IdempotencyKey",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("key", models.CharField(max_length=255)),
                ("fingerprint", models.CharField(max_length=64)),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                (
                    "job",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="idempotency_keys",
                        to="jobs.job",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        editable=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "indexes": [
                    models.Index(fields=["created_at"], name="jobs_idempotencykey_age"),
                    models.Index(fields=["job"], name="jobs_idempotencykey_of_job"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "id"), name="jobs_idempotencykey_tenant"),
                    models.UniqueConstraint(fields=("tenant", "key"), name="jobs_idempotencykey_once"),
                ],
            },
        ),
        protect("jobs_idempotencykey"),
        refer_within_tenant("jobs_idempotencykey", "job_id", "jobs_job", "CASCADE"),
    ]
