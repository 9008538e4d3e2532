"""A tenant's part of the workers, and how many pages it may hand in and have under way."""

import django.core.validators
from django.db import migrations, models

COLUMN = {"help_text": "Empty: the installation's. 0: unlimited.", "null": True, "blank": True}


def validators(least: int, most: int) -> list[object]:
    return [
        django.core.validators.MinValueValidator(least),
        django.core.validators.MaxValueValidator(most),
    ]


class Migration(migrations.Migration):
    dependencies = [("tenants", "0008_results_generation")]

    operations = [
        migrations.AddField(
            "tenant",
            "unfinished_pages",
            models.PositiveIntegerField("unfinished pages", validators=validators(0, 100_000_000), **COLUMN),
        ),
        migrations.AddField(
            "tenant",
            "pages_at_once",
            models.PositiveIntegerField("pages at once", validators=validators(0, 100_000_000), **COLUMN),
        ),
        migrations.AddField(
            "tenant",
            "weight",
            models.PositiveSmallIntegerField(
                db_default=1,
                default=1,
                help_text="Its part of the workers while others wait too: with 3, three pages for each one of who has 1.",
                validators=validators(1, 1000),
            ),
        ),
        migrations.AddConstraint(
            "tenant",
            models.CheckConstraint(condition=models.Q(("weight__gte", 1)), name="tenants_tenant_has_weight"),
        ),
    ]
