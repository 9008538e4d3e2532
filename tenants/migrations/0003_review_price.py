from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tenants", "0002_change")]

    operations = [
        migrations.AddField(
            model_name="planprice",
            name="review_micros",
            field=models.PositiveBigIntegerField(
                blank=True,
                help_text="Leave empty for the same amount.",
                null=True,
                verbose_name="amount per page to check",
            ),
        ),
        migrations.AddField(
            model_name="tenantprice",
            name="review_micros",
            field=models.PositiveBigIntegerField(
                blank=True,
                help_text="Leave empty for the same amount.",
                null=True,
                verbose_name="amount per page to check",
            ),
        ),
    ]
