import django.db.models.deletion
import django.db.models.functions.datetime
import tenants.core.ids
from tenants.core.db.tenant_references import refer_within_tenant
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("jobs", "0004_index_jobs_of_documents"),
        ("tenants", "0002_change"),
    ]

    operations = [
        migrations.CreateModel(
            name="Correction",
            fields=[
                (
                    "id",
                    models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "number",
                    models.PositiveIntegerField(
                        help_text="0 for the class of the whole document.", verbose_name="page number"
                    ),
                ),
                ("kind", models.CharField(choices=[("line", "Line"), ("class", "Class")], max_length=10)),
                (
                    "index",
                    models.PositiveIntegerField(
                        default=0, help_text="Position of the line in the result. 0 for a class."
                    ),
                ),
                ("original", models.TextField(blank=True)),
                ("corrected", models.TextField()),
                ("author", models.CharField(blank=True, max_length=254)),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
                (
                    "ended_at",
                    models.DateTimeField(editable=False, help_text="When it was replaced or undone.", null=True),
                ),
                (
                    "job",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="corrections",
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
                "indexes": [models.Index(fields=["job", "number"], name="jobs_correction_of_job")],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "id"), name="jobs_correction_tenant"),
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at__isnull", True)),
                        fields=("job", "number", "kind", "index"),
                        name="jobs_correction_current",
                    ),
                ],
            },
        ),
        refer_within_tenant([("jobs_correction", "job_id", "jobs_job", "CASCADE")]),
    ]
