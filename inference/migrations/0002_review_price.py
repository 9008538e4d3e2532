from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("inference", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="servedmodel",
            name="review_price_micros",
            field=models.PositiveBigIntegerField(
                blank=True,
                help_text="For pages that a person must check, in millionths of the currency. Leave empty for the price above. 0: such pages are free.",
                null=True,
            ),
        ),
    ]
