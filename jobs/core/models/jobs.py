"""Requests for work, the only source of truth about them, and their events in order."""

from django.db import models
from django.db.models.functions import Least, Now

from inference.models import ModelVersion
from jobs.core import priorities, states
from jobs.core.document_class import DocumentClass
from jobs.core.models.documents import Document, ErasedReason
from jobs.core.reading_flags import LONGEST_LABEL
from tenants.core.db.tenant_owned import TenantOwned

_STATES = [(state, state) for state in states.JOB_STATES]

LONGEST_URL = 2000


class Job(TenantOwned):
    """A request for work. Every view of it (poll, wait, socket, webhook) reads this row and its events."""

    model_version = models.ForeignKey(ModelVersion, on_delete=models.PROTECT, related_name="+", db_index=False)
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
    state = models.CharField(max_length=20, choices=_STATES, default=states.QUEUED)
    pages_total = models.PositiveIntegerField()
    pages_succeeded = models.PositiveIntegerField(default=0)
    pages_failed = models.PositiveIntegerField(default=0)
    pages_cached = models.PositiveIntegerField(default=0, db_default=0, help_text="Pages with a cache hit.")
    pages_coalesced = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Cache hits that waited for an identical page in progress."
    )
    oldest_result_at = models.DateTimeField(null=True, help_text="When the oldest cached result was created.")
    pages_to_review = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Finished pages that a person should check."
    )
    quality = models.FloatField(null=True, help_text="Lowest quality of the pages, from 0 to 1.")
    class_label = models.CharField(
        "class",
        max_length=LONGEST_LABEL,
        blank=True,
        default="",
        db_default="",
        help_text="Class of the document, set when the last page has finished or a person corrects it.",
    )
    class_probabilities = models.JSONField(null=True, help_text="Probability of each class, as it was read.")
    class_set = models.CharField(
        max_length=50,
        blank=True,
        default="",
        db_default="",
        help_text="Version of the class set that classes the document, such as letters@3.",
    )
    fields = models.JSONField(
        null=True,
        help_text="Fields of the document, set when its last page has ended. Null if the model finds none.",
    )
    class_corrected = models.BooleanField(
        default=False, db_default=False, help_text="Whether the class is the correction of a person."
    )
    priority = models.SmallIntegerField(
        choices=priorities.CHOICES, default=priorities.STANDARD, db_default=priorities.STANDARD
    )
    cache_control = models.CharField(
        max_length=10, blank=True, default="", db_default="", help_text="no-cache, no-store or empty."
    )
    price = models.JSONField(help_text="Price when the job was accepted.")
    cached_price = models.JSONField(null=True, help_text="Price of cache hits. Null for the same price.")
    review_price = models.JSONField(
        null=True, help_text="Price of pages that a person must check. Null for the same price."
    )
    cost_micros = models.BigIntegerField(default=0)
    currency = models.CharField(max_length=3)
    held_micros = models.BigIntegerField(
        null=True,
        editable=False,
        help_text="Amount reserved until the job ends, if the spending of the tenant is limited.",
    )
    error_code = models.CharField(max_length=60, blank=True)
    error_detail = models.TextField(blank=True)
    retry_of = models.ForeignKey(
        "self", null=True, on_delete=models.PROTECT, related_name="retries", db_constraint=False, db_index=False
    )
    livemode = models.BooleanField(default=True)
    api_key_id = models.UUIDField(null=True)
    request_id = models.CharField(max_length=64, blank=True)
    webhook_url = models.CharField(
        max_length=LONGEST_URL,
        blank=True,
        default="",
        db_default="",
        help_text="URL that is notified when the job ends.",
    )
    last_seq = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True, help_text="An unfinished job expires at this time.")
    cancel_at = models.DateTimeField(null=True, help_text="An unfinished job is canceled at this time.")
    erased_at = models.DateTimeField(
        null=True, editable=False, help_text="When the job was erased. Only this record remains."
    )
    erased_reason = models.CharField(
        max_length=10, choices=ErasedReason.choices, blank=True, default="", db_default="", editable=False
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
            models.Index(
                fields=["tenant", "class_label", "-id"],
                condition=~models.Q(class_label=""),
                name="jobs_job_by_class",
            ),
            models.Index(
                fields=["tenant", "-id"], condition=models.Q(pages_to_review__gt=0), name="jobs_job_to_review"
            ),
            models.Index(fields=["document"], name="jobs_job_of_document"),
            models.Index(fields=["retry_of"], condition=models.Q(retry_of__isnull=False), name="jobs_job_retry_of"),
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
            # Lists leave out erased jobs, and there may be more of those than of all others.
            models.Index(fields=["tenant", "-id"], condition=models.Q(erased_at__isnull=True), name="jobs_job_kept"),
            # The list of documents leaves out input without a file, and there may be more of that than of files.
            models.Index(
                fields=["tenant", "-id"],
                condition=models.Q(erased_at__isnull=True, document__isnull=False),
                name="jobs_job_with_document",
            ),
            models.Index(fields=["tenant", "-id"], condition=models.Q(livemode=False), name="jobs_job_of_tests"),
            # The operator's lists cover all tenants. Most jobs have succeeded, and those are found without an index.
            models.Index(fields=["state", "-id"], condition=~models.Q(state="succeeded"), name="jobs_job_unsuccessful"),
            models.Index(fields=["error_code", "-id"], condition=~models.Q(error_code=""), name="jobs_job_by_error"),
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
    def document_class(self) -> DocumentClass | None:
        return DocumentClass.stored(
            self.class_label, self.class_probabilities, corrected=self.class_corrected, class_set=self.class_set
        )

    @property
    def needs_review(self) -> bool:
        return self.pages_to_review > 0

    @property
    def terminal(self) -> bool:
        return self.state in states.TERMINAL

    @property
    def erased(self) -> bool:
        return self.erased_at is not None


class Event(TenantOwned):
    """An event, numbered within its job and written in the transaction that caused it.

    The unmapped column `xid` holds its transaction, or a later one that wrote the event before it: a reader of the
    stream stops below the oldest running transaction, and so never skips an event that is committed late.
    """

    id = models.BigAutoField(primary_key=True)  # type: ignore[assignment]  # rows are many and ordered
    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="events", db_constraint=False, db_index=False)
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
