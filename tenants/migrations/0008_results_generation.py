"""Which of a tenant's kept results still count: none of before they were last erased."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tenants", "0007_limits")]

    operations = [
        migrations.AddField(
            model_name="tenant",
            name="results_generation",
            field=models.PositiveIntegerField(
                default=0,
                editable=False,
                help_text="Counted up when its kept results are erased: no older one is found.",
            ),
        )
    ]
