from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("jobs", "0026_queued_pages")]

    operations = [
        migrations.AddField(
            model_name="fairshare",
            name="pool",
            field=models.CharField(
                db_default="",
                default="",
                help_text="Pool to which the last page went, if a tier decided it.",
                max_length=50,
            ),
        ),
        migrations.AddField(
            model_name="page",
            name="pool",
            field=models.CharField(
                editable=False,
                help_text="Pool whose workers were last notified, if a tier decided it.",
                max_length=50,
                null=True,
            ),
        ),
        AddIndexConcurrently(
            model_name="page",
            index=models.Index(
                condition=models.Q(("pool__isnull", False), ("state", "queued")),
                fields=["model_version", "pool"],
                name="jobs_page_in_pools",
            ),
        ),
    ]
