"""When a key was last used, who made it, and which key it took the place of."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from tenants.core.db.row_security import (refer_within_tenant)


class Migration(migrations.Migration):
    dependencies = [("tenants", "0002_walls")]

    operations = [
        migrations.AddField(
            model_name="apikey",
            name="last_used_at",
            field=models.DateTimeField(editable=False, help_text="To the minute.", null=True),
        ),
        migrations.AddField(
            model_name="apikey",
            name="created_by",
            field=models.ForeignKey(
                db_index=False,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="apikey",
            name="replaces",
            field=models.ForeignKey(
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="replaced_by",
                to="tenants.apikey",
            ),
        ),
        refer_within_tenant("tenants_apikey", "replaces_id", "tenants_apikey"),
    ]
