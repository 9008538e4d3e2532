"""What a job has set aside, and what was said to whom could not pay. New columns, empty: no row is written."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('inference', '0006_cached_results'),
        ('jobs', '0031_retention_indexes'),
        ('tenants', '0012_ledger'),
    ]

    operations = [
        migrations.AddField(
            model_name='idempotencykey',
            name='refusal',
            field=models.JSONField(help_text='What was said where it could not be paid, and so nothing was made.', null=True),
        ),
        migrations.AddField(
            model_name='job',
            name='held_micros',
            field=models.BigIntegerField(editable=False, help_text="Set aside until its end, where its tenant's spending is bounded.", null=True),
        ),
    ]
