"""Files as they were sent, the content of their pages, and the files that are to be erased."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import OpClass
from django.db import models
from django.db.models.functions import Now, Upper

from tenants.core.db.tenant_owned import TenantOwned


class ErasedReason(models.TextChoices):
    """The reason for an erasure, as it is shown to the tenant afterwards."""

    REQUEST = "request", "on request"
    OPERATOR = "operator", "by the operator of this service"
    RETENTION = "retention", "after its retention period"


class FileToErase(TenantOwned):
    """An order to erase a file from storage, written and withdrawn by jobs/documents/erasure.py."""

    name = models.CharField(max_length=300)
    due_at = models.DateTimeField()
    attempts = models.PositiveIntegerField(default=0)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["tenant", "name"], name="jobs_filetoerase_once"),
        ]
        indexes = [models.Index(fields=["due_at"], name="jobs_filetoerase_due")]

    def __str__(self) -> str:
        return self.name


class Document(TenantOwned):
    """A file as it was sent. The same bytes of the same tenant are one document, or two if one of them is a test."""

    class Kind(models.TextChoices):
        PDF = "pdf"
        IMAGE = "image"
        TEXT = "text"
        DOCX = "docx"
        XLSX = "xlsx"
        PPTX = "pptx"
        HTML = "html"
        EML = "eml"

    PICTURED = frozenset({Kind.PDF.value, Kind.IMAGE.value})
    """The kinds whose pages have pictures. The pages of the others are known by their file."""

    name = models.CharField(max_length=255)
    sha256 = models.CharField(max_length=64)
    size_bytes = models.PositiveBigIntegerField()
    content_type = models.CharField(max_length=100)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    pages_total = models.PositiveIntegerField()
    file = models.CharField(max_length=300, editable=False)
    attachments_total = models.PositiveIntegerField(
        null=True,
        editable=False,
        help_text="Attachments of an email that can become documents. Null for other files and older emails.",
    )
    mail_id = models.UUIDField(
        null=True,
        editable=False,
        help_text="The email with which it came and is erased. Null if it was also sent by itself.",
    )
    livemode = models.BooleanField(default=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    used_at = models.DateTimeField(
        db_default=Now(),
        editable=False,
        help_text="When the document was last uploaded or used, to the hour.",
    )
    deleted_at = models.DateTimeField(null=True, blank=True)
    deleted_reason = models.CharField(
        max_length=10, choices=ErasedReason.choices, blank=True, default="", db_default="", editable=False
    )

    # See jobs/documents/too_complex_pages.py.
    too_complex_pages = ArrayField(models.PositiveIntegerField(), null=True, editable=False)
    too_complex_at = models.DateTimeField(null=True, editable=False)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(
                fields=["tenant", "sha256", "livemode"],
                condition=models.Q(deleted_at=None),
                name="jobs_document_same_bytes_mode",
            ),
        ]
        indexes = [
            models.Index(OpClass(Upper("name"), "text_pattern_ops"), name="jobs_document_by_name"),
            models.Index(
                fields=["tenant", "livemode", "used_at"],
                condition=models.Q(deleted_at__isnull=True),
                name="jobs_document_kept",
            ),
            # There are few of these compared with live documents, and listing them must not read the others.
            models.Index(fields=["tenant", "-id"], condition=models.Q(livemode=False), name="jobs_document_of_tests"),
            models.Index(
                fields=["deleted_at"],
                condition=models.Q(deleted_at__isnull=False),
                name="jobs_document_erased",
            ),
            models.Index(fields=["mail_id"], condition=models.Q(mail_id__isnull=False), name="jobs_document_of_mail"),
        ]

    def __str__(self) -> str:
        return self.name


class DocumentPage(TenantOwned):
    """The image of a page, drawn once, and the text that the document itself contains."""

    document = models.ForeignKey(
        Document, on_delete=models.CASCADE, related_name="pages", db_constraint=False, db_index=False
    )
    number = models.PositiveIntegerField()
    width_px = models.PositiveIntegerField()
    height_px = models.PositiveIntegerField()
    picture = models.CharField(max_length=300, blank=True)
    picture_type = models.CharField(max_length=50, blank=True)
    text_layer = models.JSONField(null=True, help_text="Lines with boxes. Null if the page needs text recognition.")
    rules = models.JSONField(null=True, help_text="Level and upright lines. Null if the page draws none.")
    scans = models.JSONField(null=True, help_text="Parts that show more than the text layer. Null if there are none.")
    findings = models.JSONField(
        null=True, help_text="Codes, tick boxes and form fields. Null if the page was stored before these were read."
    )
    content_sha256 = models.CharField(
        max_length=64,
        blank=True,
        default="",
        db_default="",
        help_text="Hash of image and text; see jobs/documents/content.py.",
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["document", "number"], name="jobs_documentpage_once"),
        ]

    def __str__(self) -> str:
        return f"page {self.number}"
