import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

from tenants.core.db.together import Together


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("tenants", "0001_initial"),
    ]

    operations = [
        Together(
            [
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
                                help_text="Name used in MAAS_WORKER_POOLS. 'default' is not allowed.",
                                unique=True,
                            ),
                        ),
                        (
                            "strategy",
                            models.CharField(
                                choices=[
                                    ("sticky", "Sticky"),
                                    ("least-outstanding", "Fewest pages in progress"),
                                    ("response-time", "Earliest first page"),
                                    ("random", "Random"),
                                ],
                                default="sticky",
                                max_length=20,
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["name"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("name", "default"), _negated=True),
                                name="inference_pool_not_default",
                                violation_error_message="The name 'default' is reserved. Choose another name.",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SessionProfile",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("artifact", models.CharField(help_text="SHA-256 of the file.", max_length=64)),
                        (
                            "device",
                            models.CharField(
                                help_text="Provider, processor and version of ONNX Runtime.", max_length=200
                            ),
                        ),
                        ("file_bytes", models.PositiveBigIntegerField(default=0)),
                        (
                            "loaded_bytes",
                            models.PositiveBigIntegerField(
                                default=0, help_text="Memory after load and warm-up."
                            ),
                        ),
                        (
                            "alone",
                            models.BooleanField(
                                default=False, help_text="Whether nothing else ran during the measurement."
                            ),
                        ),
                        (
                            "peak_bytes",
                            models.PositiveBigIntegerField(
                                default=0, help_text="Memory including the largest runs."
                            ),
                        ),
                        ("load_s", models.FloatField(default=0.0)),
                        ("warm_up_s", models.FloatField(default=0.0)),
                        ("fit", models.JSONField(default=dict, help_text="Estimated duration of batches.")),
                        (
                            "exactness",
                            models.JSONField(default=dict, help_text="Whether rows may share a batch."),
                        ),
                        ("updated_at", models.DateTimeField(default=django.utils.timezone.now)),
                    ],
                    options={
                        "ordering": ["artifact", "device"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("artifact", "device"), name="inference_profile_of_device"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ServedModel",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.SlugField(max_length=100, unique=True)),
                        ("title", models.CharField(blank=True, max_length=200)),
                        ("description", models.TextField(blank=True)),
                        (
                            "state",
                            models.CharField(
                                choices=[("active", "Active"), ("paused", "Paused")],
                                default="active",
                                max_length=10,
                            ),
                        ),
                        (
                            "accepts",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(max_length=20),
                                help_text="Kinds of input: document, text, texts or tensors.",
                                size=None,
                            ),
                        ),
                        (
                            "parameters",
                            models.JSONField(
                                default=list,
                                help_text="Name, type, default and description of each parameter.",
                            ),
                        ),
                        (
                            "price_meter",
                            models.CharField(
                                choices=[
                                    ("page", "page"),
                                    ("token", "token"),
                                    ("call", "call"),
                                    ("gpu_second", "GPU second"),
                                ],
                                max_length=10,
                            ),
                        ),
                        (
                            "price_micros",
                            models.PositiveBigIntegerField(
                                help_text="In millionths of the currency, for the number of units below. 1000000 is 1.00."
                            ),
                        ),
                        ("price_per", models.PositiveIntegerField(default=1)),
                        ("currency", models.CharField(default="EUR", max_length=3)),
                        (
                            "cached_price_micros",
                            models.PositiveBigIntegerField(
                                blank=True,
                                help_text="In millionths of the currency. Leave empty for the price above.",
                                null=True,
                            ),
                        ),
                        (
                            "cache_ttl_s",
                            models.PositiveIntegerField(
                                default=86400,
                                help_text="Seconds for which a result is reused for the same input. 0: never.",
                                validators=[django.core.validators.MaxValueValidator(31536000)],
                                verbose_name="cache lifetime",
                            ),
                        ),
                        (
                            "pool",
                            models.ForeignKey(
                                blank=True,
                                help_text="Pool whose workers serve the model. Leave empty for the default pool (workers without a pool).",
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="models",
                                to="inference.modelpool",
                            ),
                        ),
                        (
                            "created_at",
                            models.DateTimeField(default=django.utils.timezone.now, editable=False),
                        ),
                    ],
                    options={
                        "verbose_name": "model",
                        "ordering": ["name"],
                    },
                ),
                migrations.CreateModel(
                    name="BatchSetting",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "served_model",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="batch_settings",
                                to="inference.servedmodel",
                            ),
                        ),
                        ("part", models.CharField(help_text="Role of the model file.", max_length=40)),
                        ("max_rows", models.PositiveIntegerField(blank=True, null=True)),
                        ("max_padded", models.PositiveBigIntegerField(blank=True, null=True)),
                        ("max_waiting", models.PositiveIntegerField(blank=True, null=True)),
                        ("max_wait_ms", models.FloatField(blank=True, null=True)),
                        (
                            "sharing",
                            models.CharField(
                                blank=True,
                                choices=[("proven", "proven"), ("tried", "tried"), ("never", "never")],
                                default="",
                                help_text="Whether one batch may contain inputs of several tenants.",
                                max_length=10,
                            ),
                        ),
                    ],
                    options={
                        "verbose_name": "batch limits",
                        "ordering": ["served_model", "part"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("served_model", "part"), name="inference_batch_setting_of_part"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ModelVersion",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "served_model",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="versions",
                                to="inference.servedmodel",
                            ),
                        ),
                        ("number", models.PositiveIntegerField()),
                        ("runtime", models.CharField(max_length=20)),
                        ("digest", models.CharField(max_length=64)),
                        (
                            "artifacts",
                            models.JSONField(default=dict, help_text="SHA-256 digest, size and name of each file, by role."),
                        ),
                        ("config", models.JSONField(default=dict)),
                        ("signature", models.JSONField(default=dict)),
                        (
                            "state",
                            models.CharField(
                                choices=[("ready", "Ready"), ("retired", "Retired")],
                                default="ready",
                                max_length=10,
                            ),
                        ),
                        (
                            "created_at",
                            models.DateTimeField(default=django.utils.timezone.now, editable=False),
                        ),
                    ],
                    options={
                        "ordering": ["served_model", "number"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("served_model", "number"), name="inference_version_number"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="PipelineStep",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "pipeline",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="steps",
                                to="inference.modelversion",
                            ),
                        ),
                        ("role", models.CharField(max_length=40)),
                        (
                            "member",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="used_by",
                                to="inference.modelversion",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("pipeline", "role"), name="inference_step_role")
                        ],
                    },
                ),
            ]
        ),
        migrations.AddField(
            model_name="ServedModel",
            name="current",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="current_of",
                to="inference.modelversion",
            ),
        ),
    ]
