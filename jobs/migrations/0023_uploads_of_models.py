from django.db import migrations, models


class Migration(migrations.Migration):
    """Add the purpose of resumable uploads: a document, or the file of a model."""

    dependencies = [("jobs", "0022_default_class_sets")]

    operations = [
        migrations.AddField(
            model_name="resumableupload",
            name="purpose",
            field=models.CharField(
                choices=[("document", "Document"), ("model", "Model")],
                db_default="document",
                default="document",
                max_length=10,
            ),
        ),
    ]
