"""What a result out of the cache costs, and for how long results are kept."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("inference", "0005_batch_sharing")]

    operations = [
        migrations.AddField(
            model_name="servedmodel",
            name="cached_price_micros",
            field=models.PositiveBigIntegerField(
                blank=True,
                help_text="The same for what the cache answers, where no model runs; empty for the price above.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="servedmodel",
            name="cache_ttl_s",
            field=models.PositiveIntegerField(
                default=86400,
                help_text="Seconds for which a result answers the same input again; 0 for never.",
                validators=[django.core.validators.MaxValueValidator(31536000)],
                verbose_name="kept for",
            ),
        ),
    ]
