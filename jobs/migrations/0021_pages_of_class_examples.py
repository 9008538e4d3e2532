from django.db import migrations, models


class Migration(migrations.Migration):
    """Add what is learned from the pages of an example, which the next training fills in for older ones."""

    dependencies = [("jobs", "0020_field_values")]

    operations = [
        migrations.AddField(
            model_name="classexample",
            name="pages",
            field=models.JSONField(
                null=True,
                help_text="What is learned from its pages, with words as checksums. Null until it is read.",
            ),
        ),
    ]
