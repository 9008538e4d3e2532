"""Keys of requests that fetch their document, held in every web process."""

import django.db.models.deletion
from django.db import migrations, models

import tenants.core.ids
from tenants.core.db.row_security import (fence, protect)


class Migration(migrations.Migration):
    dependencies = [("jobs", "0049_batch_with_words"), ("tenants", "0034_erasure_fence")]

    operations = [
        migrations.CreateModel(
            name="HeldKey",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("key", models.CharField(max_length=255)),
                ("ends_at", models.DateTimeField(editable=False)),
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
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "id"), name="jobs_heldkey_tenant"),
                    models.UniqueConstraint(fields=("tenant", "key"), name="jobs_heldkey_once"),
                ],
            },
        ),
        protect("jobs_heldkey"),
        fence("jobs_heldkey"),
    ]
