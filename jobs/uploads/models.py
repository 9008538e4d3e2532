"""The tables of uploads that come in pieces, over as many requests as they need, and of the stored pieces."""

from django.db import models
from django.db.models.functions import Now

from tenants.core.db.tenant_owned import TenantOwned

LONGEST_METADATA = 4096


class ResumableUpload(TenantOwned):
    """An upload in pieces. Its row stays for a while after its end, so that a returning client learns the result."""

    class State(models.TextChoices):
        RECEIVING = "receiving"
        CHECKING = "checking"
        """All bytes are here and are to become a document."""
        READY = "ready"
        REJECTED = "rejected"
        EXPIRED = "expired"
        TERMINATED = "terminated"

    class Purpose(models.TextChoices):
        DOCUMENT = "document"
        MODEL = "model"
        """Its bytes stay pieces, in the state `receiving`, until a model is made of them."""

    name = models.CharField(max_length=255)
    content_type = models.CharField(max_length=255, blank=True, help_text="Content type sent by the client.")
    metadata = models.CharField(max_length=LONGEST_METADATA, blank=True, help_text="Metadata sent by the client.")
    purpose = models.CharField(
        max_length=10, choices=Purpose.choices, default=Purpose.DOCUMENT, db_default=Purpose.DOCUMENT
    )
    size_bytes = models.PositiveBigIntegerField()
    offset_bytes = models.PositiveBigIntegerField(default=0, help_text="Number of stored bytes.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.RECEIVING)
    livemode = models.BooleanField(default=True)
    document_id = models.UUIDField(null=True, help_text="ID of the created document.")
    duplicate = models.BooleanField(default=False, help_text="Whether the same bytes were already a document.")
    error_code = models.CharField(max_length=60, blank=True)
    error_detail = models.TextField(blank=True)
    lease_token = models.BigIntegerField(null=True)
    lease_until = models.DateTimeField(null=True, help_text="Reserved by one request until this time.")
    expires_at = models.DateTimeField()
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    ended_at = models.DateTimeField(null=True)

    class Meta(TenantOwned.Meta):
        indexes = [
            models.Index(
                fields=["tenant", "expires_at"],
                condition=models.Q(state__in=["receiving", "checking"]),
                name="jobs_resumableupload_open",
            ),
            models.Index(
                fields=["document_id"],
                condition=models.Q(document_id__isnull=False),
                name="jobs_resumableupload_became",
            ),
            models.Index(
                fields=["ended_at"],
                condition=models.Q(ended_at__isnull=False),
                name="jobs_resumableupload_ended",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class UploadPiece(TenantOwned):
    """A stored range of bytes that begins at `start`. Each piece ends where the next one begins."""

    upload = models.ForeignKey(
        ResumableUpload, on_delete=models.CASCADE, related_name="pieces", db_constraint=False, db_index=False
    )
    start = models.PositiveBigIntegerField()
    size_bytes = models.PositiveBigIntegerField()
    name = models.CharField(max_length=300)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["upload", "start"], name="jobs_uploadpiece_once"),
        ]

    def __str__(self) -> str:
        return self.name
