"""The tables of archives of documents, which are ZIP files or emails, and of the outcome of each of their entries."""

from django.db import models
from django.db.models.functions import Now

from jobs.core import archive_states as states
from jobs.core.priorities import STANDARD
from tenants.core.db.tenant_owned import TenantOwned

_STATES = [(state, state) for state in states.STATES]
_ENTRY_STATES = [(state, state) for state in states.ENTRY_STATES]


class Archive(TenantOwned):
    """A ZIP file whose entries become documents, and jobs if a model is named. The unit of lease is the archive.

    An email whose attachments become documents is one too. Its file is that of its document, and it is kept as long.
    """

    name = models.CharField(max_length=255)
    file = models.CharField(max_length=300, editable=False)
    sha256 = models.CharField(max_length=64)
    size_bytes = models.PositiveBigIntegerField()
    state = models.CharField(max_length=12, choices=_STATES, default=states.UNPACKING)
    model = models.CharField(max_length=140, blank=True, help_text="Model with version. Empty if no jobs are created.")
    parameters = models.JSONField(default=dict)
    priority = models.SmallIntegerField(default=STANDARD)
    webhook_url = models.CharField(max_length=2000, blank=True)
    class_set = models.CharField(
        max_length=50, blank=True, default="", db_default="", help_text="Version of the class set of the jobs."
    )
    error_code = models.CharField(max_length=60, blank=True)
    error_detail = models.CharField(max_length=500, blank=True)
    waiting_code = models.CharField(
        "reason for waiting",
        max_length=60,
        blank=True,
        help_text="Why the archive waits until the next attempt.",
    )
    mail_id = models.UUIDField(null=True, help_text="Document whose attachments these are. Null for a ZIP file.")
    mail_job_id = models.UUIDField(null=True, help_text="Job with which the email was read. Null if it was only sent.")
    root_id = models.UUIDField(null=True, help_text="The outermost email, for an email in an email.")
    depth = models.PositiveSmallIntegerField(default=0, db_default=0, help_text="Emails that this one is in.")
    livemode = models.BooleanField(default=True)
    api_key_id = models.UUIDField(null=True)
    request_id = models.CharField(max_length=64, blank=True)
    attempt = models.PositiveIntegerField(default=0, help_text="Attempts since the last entry was finished.")
    run_after = models.DateTimeField(db_default=Now())
    lease_token = models.BigIntegerField(null=True)
    lease_until = models.DateTimeField(null=True)
    worker = models.CharField(max_length=100, blank=True)
    served_at = models.DateTimeField(null=True, help_text="When a worker last started it. Tenants are served in turn.")
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    finished_at = models.DateTimeField(null=True)

    class Meta(TenantOwned.Meta):
        indexes = [
            models.Index(
                fields=["run_after"],
                condition=models.Q(state=states.UNPACKING),
                name="jobs_archive_unfinished",
            ),
            models.Index(fields=["created_at"], name="jobs_archive_age"),
            models.Index(fields=["mail_id"], condition=models.Q(mail_id__isnull=False), name="jobs_archive_of_mail"),
            models.Index(
                fields=["mail_job_id"],
                condition=models.Q(mail_job_id__isnull=False),
                name="jobs_archive_of_mail_job",
            ),
            models.Index(fields=["root_id"], condition=models.Q(root_id__isnull=False), name="jobs_archive_of_root"),
        ]

    def __str__(self) -> str:
        return self.name


class ArchiveEntry(TenantOwned):
    archive = models.ForeignKey(
        Archive, on_delete=models.CASCADE, related_name="entries", db_constraint=False, db_index=False
    )
    number = models.PositiveIntegerField(help_text="Position in the directory of the archive, from 1.")
    name = models.CharField(max_length=400, blank=True, help_text="Displayed name without a path.")
    size_bytes = models.PositiveBigIntegerField(help_text="Unpacked size according to the directory of the archive.")
    state = models.CharField(max_length=12, choices=_ENTRY_STATES, default=states.WAITING)
    # These are only ids, since both may be erased long before the archive is forgotten.
    document_id = models.UUIDField(null=True)
    job_id = models.UUIDField(null=True)
    error_code = models.CharField(
        max_length=60, blank=True, help_text="Error code, or the reason why the entry was skipped."
    )
    error_detail = models.CharField(max_length=500, blank=True)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["archive", "number"], name="jobs_archiveentry_once"),
        ]
        indexes = [
            models.Index(
                fields=["document_id"],
                condition=models.Q(document_id__isnull=False),
                name="jobs_archiveentry_became",
            )
        ]

    def __str__(self) -> str:
        return self.name
