"""Files that are to be erased from storage."""

import django.db.models.deletion
from django.db import migrations, models

import tenants.core.ids
from tenants.core.db.row_security import (protect)


class Migration(migrations.Migration):
    dependencies = [("jobs", "0002_walls"), ("tenants", "0002_walls")]

    operations = [
        migrations.CreateModel(
            name="FileToErase",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("name", models.CharField(max_length=300)),
                ("due_at", models.DateTimeField()),
                ("attempts", models.PositiveIntegerField(default=0)),
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
                "indexes": [models.Index(fields=["due_at"], name="jobs_filetoerase_due")],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "id"), name="jobs_filetoerase_tenant"),
                    models.UniqueConstraint(fields=("tenant", "name"), name="jobs_filetoerase_once"),
                ],
            },
        ),
        protect("jobs_filetoerase"),
    ]
