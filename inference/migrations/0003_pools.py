"""Pools of models, each with workers of its own and a way to choose among them."""

import django.db.models.deletion
from django.db import migrations, models

from tenants.core.db.row_security import (APP_ROLE)


class Migration(migrations.Migration):
    dependencies = [("inference", "0002_session_profiles"), ("tenants", "0002_walls")]

    operations = [
        migrations.CreateModel(
            name="ModelPool",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "name",
                    models.SlugField(
                        help_text="As workers name it in MAAS_WORKER_POOLS; never 'default'.", unique=True
                    ),
                ),
                (
                    "strategy",
                    models.CharField(
                        choices=[
                            ("sticky", "Sticky"),
                            ("least-outstanding", "Least Outstanding"),
                            ("response-time", "Response Time"),
                            ("random", "Random"),
                        ],
                        default="sticky",
                        max_length=20,
                    ),
                ),
            ],
            options={"ordering": ["name"]},
        ),
        migrations.AddConstraint(
            model_name="modelpool",
            constraint=models.CheckConstraint(
                condition=models.Q(("name", "default"), _negated=True),
                name="inference_pool_not_default",
                violation_error_message="'default' is the pool of all models that are in no other.",
            ),
        ),
        migrations.AddField(
            model_name="servedmodel",
            name="pool",
            field=models.ForeignKey(
                blank=True,
                help_text="Whose workers serve it; none for the default pool, of every worker that names no pools.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="models",
                to="inference.modelpool",
            ),
        ),
        # Who serves what is the operator's to say; tenants' requests only read it.
        migrations.RunSQL(
            f"REVOKE INSERT, UPDATE, DELETE ON inference_modelpool FROM {APP_ROLE};",
            f"GRANT INSERT, UPDATE, DELETE ON inference_modelpool TO {APP_ROLE};",
        ),
    ]
