"""The durable truth: documents, jobs, their pages and what happened to them."""

from uuid import UUID

from django.contrib.postgres.indexes import GinIndex, OpClass
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models.functions import Least, Now, Upper

from inference.models import ModelVersion
from jobs import priorities, states
from jobs.archives.models import Archive, ArchiveEntry
from jobs.batches.models import Batch, BatchTask, StoredFile
from jobs.uploads.models import ResumableUpload, UploadPiece
from jobs.webhooks.models import (
    LONGEST_URL,
    WebhookAttempt,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookMessage,
    WebhookSecret,
)
from tenants.scoped import TenantOwned

__all__ = [
    "Archive",
    "ArchiveEntry",
    "Batch",
    "BatchTask",
    "Document",
    "DocumentPage",
    "ErasedBecause",
    "Event",
    "FileToErase",
    "IdempotencyKey",
    "Job",
    "Page",
    "PageText",
    "ResumableUpload",
    "StoredFile",
    "Turn",
    "UploadPiece",
    "WebhookAttempt",
    "WebhookDelivery",
    "WebhookEndpoint",
    "WebhookMessage",
    "WebhookSecret",
]

_JOB_STATES = [(state, state) for state in states.JOB_STATES]
_PAGE_STATES = [(state, state) for state in states.PAGE_STATES]
_PRIORITIES = list(priorities.NAMES.items())


class ErasedBecause(models.TextChoices):
    """Why something was erased: what its tenant is told afterwards."""

    REQUEST = "request", "on request"
    OPERATOR = "operator", "by the operator of this service"
    RETENTION = "retention", "because its time was over"


class Document(TenantOwned):
    """A file as it came. The same bytes of the same tenant are one document, or two where one is of a test."""

    class Kind(models.TextChoices):
        PDF = "pdf"
        IMAGE = "image"
        TEXT = "text"

    name = models.CharField(max_length=255)
    sha256 = models.CharField(max_length=64)
    size_bytes = models.PositiveBigIntegerField()
    content_type = models.CharField(max_length=100)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    pages_total = models.PositiveIntegerField()
    file = models.CharField(max_length=300, editable=False)
    livemode = models.BooleanField(default=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    used_at = models.DateTimeField(
        db_default=Now(), editable=False, help_text="When it was last sent or read, to the hour."
    )
    deleted_at = models.DateTimeField(null=True, blank=True)
    deleted_because = models.CharField(
        max_length=10, choices=ErasedBecause.choices, blank=True, default="", db_default="", editable=False
    )

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
            # Few beside all that is live: whoever lists them must not pass over the rest.
            models.Index(
                fields=["tenant", "-id"], condition=models.Q(livemode=False), name="jobs_document_of_tests"
            ),
            models.Index(
                fields=["deleted_at"],
                condition=models.Q(deleted_at__isnull=False),
                name="jobs_document_erased",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class DocumentPage(TenantOwned):
    """A page's picture, rendered once, and the text that the document itself carries."""

    document = models.ForeignKey(
        Document, on_delete=models.CASCADE, related_name="pages", db_constraint=False, db_index=False
    )
    number = models.PositiveIntegerField()
    width_px = models.PositiveIntegerField()
    height_px = models.PositiveIntegerField()
    picture = models.CharField(max_length=300, blank=True)
    picture_type = models.CharField(max_length=50, blank=True)
    text_layer = models.JSONField(
        null=True, help_text="Lines with boxes; null when the page must be recognised."
    )
    content_sha256 = models.CharField(
        max_length=64,
        blank=True,
        default="",
        db_default="",
        help_text="Of picture and text; see jobs/documents/content.py.",
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["document", "number"], name="jobs_documentpage_once"),
        ]

    def __str__(self) -> str:
        return f"page {self.number}"


class Job(TenantOwned):
    """One request for work. Every view of it (poll, wait, socket, webhook) reads this row and its events."""

    model_version = models.ForeignKey(
        ModelVersion, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    document = models.ForeignKey(
        Document,
        null=True,
        on_delete=models.PROTECT,
        related_name="jobs",
        db_constraint=False,
        db_index=False,
    )
    input = models.JSONField(null=True)
    parameters = models.JSONField(default=dict)
    state = models.CharField(max_length=20, choices=_JOB_STATES, default=states.QUEUED)
    pages_total = models.PositiveIntegerField()
    pages_succeeded = models.PositiveIntegerField(default=0)
    pages_failed = models.PositiveIntegerField(default=0)
    pages_cached = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Succeeded without a run: their results were known."
    )
    pages_coalesced = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Of these, the ones whose results came while they waited."
    )
    oldest_result_at = models.DateTimeField(
        null=True, help_text="When the oldest result was made that was known already."
    )
    priority = models.SmallIntegerField(
        choices=_PRIORITIES, default=priorities.STANDARD, db_default=priorities.STANDARD
    )
    cache_control = models.CharField(
        max_length=10, blank=True, default="", db_default="", help_text="no-cache, no-store, or nothing."
    )
    price = models.JSONField(help_text="As it was when the job was accepted.")
    cached_price = models.JSONField(
        null=True, help_text="For pages whose results are known; null for the price."
    )
    cost_micros = models.BigIntegerField(default=0)
    currency = models.CharField(max_length=3)
    held_micros = models.BigIntegerField(
        null=True,
        editable=False,
        help_text="Set aside until its end, where its tenant's spending is bounded.",
    )
    error_code = models.CharField(max_length=60, blank=True)
    error_detail = models.TextField(blank=True)
    retry_of = models.ForeignKey(
        "self", null=True, on_delete=models.PROTECT, related_name="retries", db_constraint=False
    )
    livemode = models.BooleanField(default=True)
    api_key_id = models.UUIDField(null=True)
    request_id = models.CharField(max_length=64, blank=True)
    webhook_url = models.CharField(
        max_length=LONGEST_URL, blank=True, default="", db_default="", help_text="To be told of its end."
    )
    last_seq = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True, help_text="If it is not done by then it ends as expired.")
    cancel_at = models.DateTimeField(null=True, help_text="If it is not done by then it is canceled.")
    erased_at = models.DateTimeField(
        null=True, editable=False, help_text="Since then this row is all there is of it; see jobs/retention."
    )
    erased_because = models.CharField(
        max_length=10, choices=ErasedBecause.choices, blank=True, default="", db_default="", editable=False
    )

    class Meta(TenantOwned.Meta):
        indexes = [
            models.Index(
                Least("expires_at", "cancel_at"),
                condition=models.Q(state__in=["queued", "running"])
                & (models.Q(expires_at__isnull=False) | models.Q(cancel_at__isnull=False)),
                name="jobs_job_overdue",
            ),
            models.Index(fields=["tenant", "state", "-id"], name="jobs_job_by_state"),
            models.Index(fields=["tenant", "model_version", "-id"], name="jobs_job_by_model"),
            models.Index(fields=["document"], name="jobs_job_of_document"),
            models.Index(
                fields=["tenant", "livemode", "finished_at"],
                condition=models.Q(erased_at__isnull=True, finished_at__isnull=False),
                name="jobs_job_to_erase",
            ),
            models.Index(
                fields=["erased_at"],
                condition=models.Q(erased_at__isnull=False),
                name="jobs_job_erased",
            ),
            # Lists leave out what is erased, of which there may be more than of all else.
            models.Index(
                fields=["tenant", "-id"], condition=models.Q(erased_at__isnull=True), name="jobs_job_kept"
            ),
            models.Index(
                fields=["tenant", "-id"], condition=models.Q(livemode=False), name="jobs_job_of_tests"
            ),
            # The operator's lists know no tenant. What succeeded is most of all, and found without an index.
            models.Index(
                fields=["state", "-id"], condition=~models.Q(state="succeeded"), name="jobs_job_unsuccessful"
            ),
            models.Index(
                fields=["error_code", "-id"], condition=~models.Q(error_code=""), name="jobs_job_by_error"
            ),
            models.Index(
                fields=["tenant", "id"],
                condition=models.Q(held_micros__isnull=False),
                name="jobs_job_holds_money",
            ),
            models.Index(
                fields=["api_key_id", "-id"],
                condition=models.Q(api_key_id__isnull=False),
                name="jobs_job_of_key",
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)

    @property
    def pages_done(self) -> int:
        return self.pages_succeeded + self.pages_failed

    @property
    def terminal(self) -> bool:
        return self.state in states.TERMINAL

    @property
    def erased(self) -> bool:
        return self.erased_at is not None


class Page(TenantOwned):
    """The unit of work: of cancel, retry, lease, result and charge."""

    job = models.ForeignKey(
        Job, on_delete=models.CASCADE, related_name="pages", db_constraint=False, db_index=False
    )
    model_version = models.ForeignKey(
        ModelVersion, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    number = models.PositiveIntegerField()
    priority = models.SmallIntegerField(
        choices=_PRIORITIES,
        default=priorities.STANDARD,
        db_default=priorities.STANDARD,
        help_text="Its job's, as long as it waits.",
    )
    state = models.CharField(max_length=20, choices=_PAGE_STATES, default=states.QUEUED)
    attempt = models.PositiveSmallIntegerField(default=0)
    run_after = models.DateTimeField(
        db_default=Now(), help_text="By the database's clock, like every time of the queue."
    )
    wake_again_at = models.DateTimeField(
        null=True, help_text="Until then a message for this page is under way."
    )
    lease_token = models.BigIntegerField(null=True)
    lease_until = models.DateTimeField(null=True)
    worker = models.CharField(max_length=100, blank=True)
    result = models.JSONField(null=True)
    units = models.JSONField(null=True, help_text="What was done for the result, in the units of prices.")
    result_at = models.DateTimeField(
        null=True, help_text="When the result was made, here or where it was taken from."
    )
    cache_key = models.BinaryField(
        null=True,
        max_length=32,
        help_text="Of a result, by which it is found again; of a running page, what no other may run meanwhile.",
    )
    cached = models.BooleanField(default=False, db_default=False, help_text="Not run: its result was known.")
    waits_for = models.BinaryField(
        null=True, max_length=32, help_text="The key of a page that is run elsewhere, whose result will do."
    )
    awaited = models.BooleanField(
        default=False, db_default=False, help_text="Others wait for the end of its run."
    )
    error_code = models.CharField(max_length=60, blank=True)
    error_detail = models.TextField(blank=True)
    cost_micros = models.BigIntegerField(default=0)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["job", "number"], name="jobs_page_once"),
            models.UniqueConstraint(
                fields=["tenant", "cache_key"], condition=models.Q(state="running"), name="jobs_page_one_run"
            ),
        ]
        indexes = [
            models.Index(
                fields=["tenant", "cache_key", "-result_at"],
                condition=models.Q(state="succeeded", cache_key__isnull=False),
                name="jobs_page_known",
            ),
            models.Index(
                fields=["tenant", "waits_for"],
                condition=models.Q(state="queued", waits_for__isnull=False),
                name="jobs_page_waiting",
            ),
            models.Index(
                fields=["model_version", "id"], condition=models.Q(state="queued"), name="jobs_page_queue"
            ),
            # Whose pages wait to be released, each line in its order; what is not due is passed over in the index.
            models.Index(
                fields=["model_version", "priority", "tenant", "id", "run_after"],
                condition=models.Q(state="queued", wake_again_at__isnull=True),
                name="jobs_page_lines",
            ),
            # Whether a page of a job runs, and which waits next, however many of its pages have ended.
            models.Index(
                fields=["job", "-state", "number"],
                condition=models.Q(state__in=["queued", "running"]),
                name="jobs_page_unfinished",
            ),
            models.Index(
                fields=["model_version"], condition=models.Q(state="running"), name="jobs_page_running"
            ),
            models.Index(
                fields=["lease_until"], condition=models.Q(state="running"), name="jobs_page_leases"
            ),
            models.Index(
                fields=["state", "-id"], condition=~models.Q(state="succeeded"), name="jobs_page_unsuccessful"
            ),
            models.Index(
                fields=["error_code", "-id"], condition=~models.Q(error_code=""), name="jobs_page_by_error"
            ),
            models.Index(fields=["model_version", "-id"], name="jobs_page_of_version"),
            models.Index(
                fields=["worker", "-id"], condition=~models.Q(worker=""), name="jobs_page_by_worker"
            ),
            models.Index(
                fields=["finished_at"],
                include=["state", "error_code"],
                condition=models.Q(finished_at__isnull=False),
                name="jobs_page_finished",
            ),
        ]

    def __str__(self) -> str:
        return f"page {self.number} of {self.job_id}"


class Turn(TenantOwned):
    """How far in virtual time a line of waiting pages has come; see jobs/dispatch/fairness.py.

    A tenant without one is owed nothing and owes nothing. Written by whoever releases pages, and by nobody else.
    """

    model_version = models.ForeignKey(
        ModelVersion, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    priority = models.SmallIntegerField(choices=_PRIORITIES)
    began = models.FloatField(help_text="The page that was released last; the highest is the version's now.")
    ends = models.FloatField(help_text="Where its next page begins, unless that is past.")

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["model_version", "tenant", "priority"], name="jobs_turn_once"),
        ]

    def __str__(self) -> str:
        return f"{self.get_priority_display()} pages of {self.tenant_id}"


class Event(TenantOwned):
    """What happened, numbered per job, written in the transaction that made it so.

    A database column `xid` (not mapped here) holds the writing transaction, or a later one that wrote the event before,
    so that a reader of the tenant's whole
    stream can stop below the oldest transaction still running and never skip one that commits late.
    """

    id = models.BigAutoField(primary_key=True)  # type: ignore[assignment]  # rows are many and ordered
    job = models.ForeignKey(
        Job, on_delete=models.CASCADE, related_name="events", db_constraint=False, db_index=False
    )
    seq = models.PositiveIntegerField()
    type = models.CharField(max_length=40)
    data = models.JSONField(default=dict)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["job", "seq"], name="jobs_event_seq"),
        ]

    def __str__(self) -> str:
        return f"{self.seq} {self.type}"


class FileToErase(TenantOwned):
    """An order to erase a file from storage; see jobs/documents/erasure.py for who writes and withdraws it."""

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


class IdempotencyKey(TenantOwned):
    """A caller's name for one request, kept with its answer; see jobs/idempotency/once.py."""

    key = models.CharField(max_length=255)
    operation = models.CharField(max_length=32, default="submit_job", db_default="submit_job")
    fingerprint = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(default=202, db_default=202, help_text="Of the first answer.")
    job = models.ForeignKey(
        Job,
        null=True,
        on_delete=models.CASCADE,
        related_name="idempotency_keys",
        db_constraint=False,
        db_index=False,
    )
    made_id = models.UUIDField(null=True, help_text="Of what was made, where it is no job.")
    made_count = models.PositiveIntegerField(
        null=True, help_text="How many were told, where that is the answer and no single one of them is."
    )
    refusal = models.JSONField(
        null=True, help_text="What was said where it could not be paid, and so nothing was made."
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["tenant", "key"], name="jobs_idempotencykey_once"),
        ]
        indexes = [
            models.Index(fields=["created_at"], name="jobs_idempotencykey_age"),
            models.Index(fields=["job"], name="jobs_idempotencykey_of_job"),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def result_id(self) -> UUID:
        made = self.job_id or self.made_id
        assert made is not None
        return made


class PageText(TenantOwned):
    """The words of a page's text, or of a job's document's name, by which the job is found; see jobs/search.

    Its id is the page's, or the job's for a name, so that the same thing is never there twice.
    """

    job = models.ForeignKey(
        Job, on_delete=models.CASCADE, related_name="+", db_constraint=False, db_index=False
    )
    number = models.PositiveIntegerField(help_text="Of the page; 0 for the name.")
    words = SearchVectorField()

    class Meta(TenantOwned.Meta):
        indexes = [
            # Written word by word rather than into a list of what is pending, which every search reads from its
            # beginning and some unlucky page has to sort in.
            GinIndex(fields=["words"], fastupdate=False, name="jobs_pagetext_words"),
            models.Index(fields=["tenant", "job", "number"], name="jobs_pagetext_of_job"),
        ]

    def __str__(self) -> str:
        return f"words of page {self.number} of {self.job_id}" if self.number else f"name of {self.job_id}"
