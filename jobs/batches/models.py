"""The tables of batches: the files that tenants keep for them, the batches, and their pieces of work."""

from django.db import models
from django.db.models.functions import Now

from inference.models import ModelVersion
from jobs.batches import states
from tenants.core.db.tenant_owned import TenantOwned

_STATUSES = [(status, status) for status in states.STATUSES]
_KINDS = [(kind, kind) for kind in states.KINDS]
_TASK_STATES = [(state, state) for state in states.TASK_STATES]


class StoredFile(TenantOwned):
    """A file of lines that were sent for a batch, or that a batch has produced."""

    class Purpose(models.TextChoices):
        BATCH = "batch"
        BATCH_OUTPUT = "batch_output"

    name = models.CharField(max_length=255)
    purpose = models.CharField(max_length=20, choices=Purpose.choices)
    size_bytes = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    file = models.CharField(max_length=300, editable=False)
    livemode = models.BooleanField(default=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)

    class Meta(TenantOwned.Meta):
        verbose_name = "file"
        indexes = [models.Index(fields=["expires_at"], name="jobs_storedfile_expiry")]

    def __str__(self) -> str:
        return self.name


class Batch(TenantOwned):
    """Up to 50,000 calls of one model, which are run when there is capacity, within a day."""

    endpoint = models.CharField(max_length=200)
    model_version = models.ForeignKey(
        ModelVersion, null=True, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    price = models.JSONField(null=True, help_text="Price when the lines were validated.")
    cached_price = models.JSONField(null=True, help_text="Price of cache hits at that time. Null in old batches.")
    status = models.CharField(max_length=20, choices=_STATUSES, default=states.VALIDATING)
    ending = models.CharField(
        max_length=20,
        blank=True,
        help_text="Final status once the files are written: cancelled, expired or failed.",
    )
    # These are only ids, since a file may be erased long before its batch is forgotten.
    input_file_id = models.UUIDField()
    output_file_id = models.UUIDField(null=True)
    error_file_id = models.UUIDField(null=True)
    output_lives_s = models.PositiveIntegerField(null=True)
    metadata = models.JSONField(null=True)
    errors = models.JSONField(null=True)
    lines_total = models.PositiveIntegerField(default=0)
    lines_completed = models.PositiveIntegerField(default=0)
    lines_failed = models.PositiveIntegerField(default=0)
    tokens = models.PositiveBigIntegerField(default=0)
    cost_micros = models.BigIntegerField(default=0)
    made_bytes = models.PositiveBigIntegerField(
        default=0, db_default=0, help_text="Size of the responses that are not merged yet."
    )
    livemode = models.BooleanField(default=True)
    api_key_id = models.UUIDField(null=True)
    request_id = models.CharField(max_length=64, blank=True)
    served_at = models.DateTimeField(null=True, help_text="When a worker last started it. Tenants are served in turn.")
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField()
    in_progress_at = models.DateTimeField(null=True)
    cancelling_at = models.DateTimeField(null=True)
    finalizing_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta(TenantOwned.Meta):
        verbose_name_plural = "batches"
        indexes = [
            models.Index(fields=["id"], condition=models.Q(status__in=states.UNFINISHED), name="jobs_batch_unfinished"),
            models.Index(fields=["input_file_id"], name="jobs_batch_of_file"),
            models.Index(fields=["created_at"], condition=models.Q(livemode=False), name="jobs_batch_of_tests"),
            # The content of these columns is erased when its time is over.
            models.Index(
                fields=["tenant", "livemode", "finished_at"],
                condition=models.Q(metadata__isnull=False) | models.Q(errors__isnull=False),
                name="jobs_batch_with_words",
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)

    @property
    def lines_done(self) -> int:
        return self.lines_completed + self.lines_failed

    @property
    def finished(self) -> bool:
        return self.status not in states.UNFINISHED


class BatchTask(TenantOwned):
    """A piece of a batch's work and the unit of lease: the check of its file, some of its lines, or its last files."""

    batch = models.ForeignKey(
        Batch, on_delete=models.CASCADE, related_name="tasks", db_constraint=False, db_index=False
    )
    number = models.PositiveIntegerField(help_text="Position in the order of the lines.")
    kind = models.CharField(max_length=10, choices=_KINDS)
    state = models.CharField(max_length=10, choices=_TASK_STATES, default=states.QUEUED)
    input = models.CharField(max_length=300, blank=True)
    output = models.CharField(max_length=300, blank=True)
    errors = models.CharField(max_length=300, blank=True)
    lines = models.PositiveIntegerField(default=0)
    answered = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Number of first lines whose responses are stored and charged."
    )
    attempt = models.PositiveIntegerField(default=0)
    run_after = models.DateTimeField(db_default=Now())
    lease_token = models.BigIntegerField(null=True)
    lease_until = models.DateTimeField(null=True)
    worker = models.CharField(max_length=100, blank=True)
    at_line = models.PositiveIntegerField(
        null=True, help_text="Line that runs alone after workers crashed with these lines."
    )
    crashing_lines = models.JSONField(default=list, help_text="Lines that workers crashed with.")

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["batch", "number"], name="jobs_batchtask_once"),
        ]
        indexes = [
            models.Index(fields=["batch", "number"], condition=models.Q(state="queued"), name="jobs_batchtask_queue"),
            models.Index(
                fields=["batch", "lease_until"],
                condition=models.Q(state="running"),
                name="jobs_batchtask_leases",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.number} of {self.batch_id}"
