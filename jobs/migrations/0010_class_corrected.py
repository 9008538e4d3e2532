from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("jobs", "0009_ordered_queues")]

    operations = [
        migrations.AddField(
            model_name="job",
            name="class_corrected",
            field=models.BooleanField(
                db_default=False, default=False, help_text="Whether the class is the correction of a person."
            ),
        ),
        migrations.AlterField(
            model_name="job",
            name="class_label",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="Class of the document, set when the last page has finished or a person corrects it.",
                max_length=60,
                verbose_name="class",
            ),
        ),
        migrations.AlterField(
            model_name="job",
            name="class_probabilities",
            field=models.JSONField(help_text="Probability of each class, as it was read.", null=True),
        ),
    ]
