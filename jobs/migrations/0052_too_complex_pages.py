"""Pages of a document that took more than a page may, so that they are not read again."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("jobs", "0051_answers_not_kept")]

    operations = [
        migrations.AddField(
            model_name="document",
            name="too_complex_pages",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.PositiveIntegerField(), editable=False, null=True, size=None
            ),
        ),
        migrations.AddField(
            model_name="document",
            name="too_complex_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
    ]
