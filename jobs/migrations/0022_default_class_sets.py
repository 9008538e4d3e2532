from django.db import migrations, models


class Migration(migrations.Migration):
    """Add the default class set of uploads, and the class set of archives."""

    dependencies = [("jobs", "0021_pages_of_class_examples"), ("tenants", "0003_review_price")]

    operations = [
        migrations.AddField(
            model_name="archive",
            name="class_set",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="Version of the class set of the jobs.",
                max_length=50,
            ),
        ),
        migrations.AddField(
            model_name="classset",
            name="default",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Whether it classes documents whose upload names no class set.",
            ),
        ),
        migrations.AddConstraint(
            model_name="classset",
            constraint=models.UniqueConstraint(
                condition=models.Q(("default", True)), fields=("tenant", "livemode"), name="jobs_classset_default"
            ),
        ),
    ]
