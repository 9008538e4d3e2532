"""What is erased leaves a row that says when and why. Every column is new and has one value for all rows."""

from django.db import migrations, models

BECAUSE = [
    ("request", "on request"),
    ("operator", "by the operator of this service"),
    ("retention", "because its time was over"),
]


def because() -> models.CharField:
    return models.CharField(
        blank=True, choices=BECAUSE, db_default="", default="", editable=False, max_length=10
    )


class Migration(migrations.Migration):
    dependencies = [("jobs", "0022_resumable_uploads")]

    operations = [
        migrations.AddField("document", "deleted_because", because()),
        migrations.AddField(
            "job",
            "erased_at",
            models.DateTimeField(
                editable=False,
                help_text="Since then this row is all there is of it; see jobs/retention.",
                null=True,
            ),
        ),
        migrations.AddField("job", "erased_because", because()),
    ]
