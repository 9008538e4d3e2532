"""When something was made is said by the database: the clocks of web processes and workers may disagree."""

from django.db import migrations, models
from django.db.models.functions import Now

_TABLES = ("batch", "document", "documentpage", "event", "job", "page", "storedfile")


class Migration(migrations.Migration):
    # Each table by itself: all at once would be held in an order that is not the application's.
    atomic = False

    dependencies = [("jobs", "0027_documents_by_mode")]

    operations = [
        migrations.AlterField(table, "created_at", models.DateTimeField(db_default=Now(), editable=False))
        for table in _TABLES
    ]
