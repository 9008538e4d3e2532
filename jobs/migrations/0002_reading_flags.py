from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("jobs", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="job",
            name="class_label",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="Class of the document, set when the last page has finished.",
                max_length=60,
                verbose_name="class",
            ),
        ),
        migrations.AddField(
            model_name="job",
            name="class_probabilities",
            field=models.JSONField(help_text="Probability of each class.", null=True),
        ),
        migrations.AddField(
            model_name="job",
            name="pages_to_review",
            field=models.PositiveIntegerField(
                db_default=0, default=0, help_text="Finished pages that a person should check."
            ),
        ),
        migrations.AddField(
            model_name="job",
            name="quality",
            field=models.FloatField(help_text="Lowest quality of the pages, from 0 to 1.", null=True),
        ),
        migrations.AddField(
            model_name="page",
            name="class_probabilities",
            field=models.JSONField(help_text="Probability of each class.", null=True),
        ),
        migrations.AddField(
            model_name="page",
            name="needs_review",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Whether a person should check the result.",
                verbose_name="to check",
            ),
        ),
        migrations.AddField(
            model_name="page",
            name="quality",
            field=models.FloatField(help_text="How well the page was read, from 0 to 1.", null=True),
        ),
        migrations.AddField(
            model_name="job",
            name="review_price",
            field=models.JSONField(
                help_text="Price of pages that a person must check. Null for the same price.", null=True
            ),
        ),
    ]
