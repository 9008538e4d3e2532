"""When a tenant begins is said by the database: its first month to be billed must not depend on a process's clock."""

from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    dependencies = [("tenants", "0041_usage_is_kept")]

    operations = [
        migrations.AlterField("tenant", "created_at", models.DateTimeField(db_default=Now(), editable=False)),
    ]
