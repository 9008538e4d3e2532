"""How long what belongs to a tenant is kept. The columns are new and empty: no row is written."""

import django.core.validators
from django.db import migrations, models


def days(verbose_name: str) -> models.PositiveIntegerField:
    return models.PositiveIntegerField(
        blank=True,
        help_text="Empty: the installation's. 0: for ever.",
        null=True,
        validators=[
            django.core.validators.MinValueValidator(0),
            django.core.validators.MaxValueValidator(36500),
        ],
        verbose_name=verbose_name,
    )


class Migration(migrations.Migration):
    dependencies = [("tenants", "0009_weight_and_caps")]

    operations = [
        migrations.AddField("tenant", "keep_documents_days", days("days documents are kept")),
        migrations.AddField("tenant", "keep_results_days", days("days results are kept")),
        migrations.AddField("tenant", "keep_events_days", days("days events are kept")),
    ]
