from django.db import migrations, models

from tenants.core.db.together import Together


class Migration(migrations.Migration):
    dependencies = [("inference", "0005_current_as_alias")]

    operations = [
        Together(
            [
                migrations.AddField("modelversion", "paused_at", models.DateTimeField(editable=False, null=True)),
                migrations.AddField(
                    "modelversion",
                    "pause_mailed_at",
                    models.DateTimeField(editable=False, help_text="When the owners were notified.", null=True),
                ),
            ]
        )
    ]
