"""Accounts that make themselves can be kept from running up a bill that nobody pays: their plan has them pay beforehand."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tenants", "0036_days_not_in_months")]

    operations = [
        migrations.AddField(
            "plan",
            "pays_beforehand",
            models.BooleanField(
                db_default=False,
                default=False,
                help_text="Whoever begins with it is prepaid: nothing runs beyond what is included, granted or paid.",
            ),
        ),
    ]
