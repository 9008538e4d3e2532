from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    """Add the columns that tie attachments to their email."""

    atomic = False

    dependencies = [("jobs", "0017_own_fields")]

    operations = [
        migrations.AddField(
            model_name="archive",
            name="mail_id",
            field=models.UUIDField(
                null=True, help_text="Document whose attachments these are. Null for a ZIP file."
            ),
        ),
        migrations.AddField(
            model_name="archive",
            name="mail_job_id",
            field=models.UUIDField(
                null=True, help_text="Job with which the email was read. Null if it was only sent."
            ),
        ),
        migrations.AddField(
            model_name="archive",
            name="root_id",
            field=models.UUIDField(null=True, help_text="The outermost email, for an email in an email."),
        ),
        migrations.AddField(
            model_name="archive",
            name="depth",
            field=models.PositiveSmallIntegerField(
                default=0, db_default=0, help_text="Emails that this one is in."
            ),
        ),
        migrations.AddField(
            model_name="document",
            name="attachments_total",
            field=models.PositiveIntegerField(
                null=True,
                editable=False,
                help_text="Attachments of an email that can become documents. Null for other files and older emails.",
            ),
        ),
        migrations.AddField(
            model_name="document",
            name="mail_id",
            field=models.UUIDField(
                null=True,
                editable=False,
                help_text="The email with which it came and is erased. Null if it was also sent by itself.",
            ),
        ),
        AddIndexConcurrently(
            model_name="archive",
            index=models.Index(
                fields=["mail_id"], condition=models.Q(mail_id__isnull=False), name="jobs_archive_of_mail"
            ),
        ),
        AddIndexConcurrently(
            model_name="archive",
            index=models.Index(
                fields=["mail_job_id"],
                condition=models.Q(mail_job_id__isnull=False),
                name="jobs_archive_of_mail_job",
            ),
        ),
        AddIndexConcurrently(
            model_name="archive",
            index=models.Index(
                fields=["root_id"], condition=models.Q(root_id__isnull=False), name="jobs_archive_of_root"
            ),
        ),
        AddIndexConcurrently(
            model_name="document",
            index=models.Index(
                fields=["mail_id"], condition=models.Q(mail_id__isnull=False), name="jobs_document_of_mail"
            ),
        ),
    ]
