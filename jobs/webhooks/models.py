"""The tables of webhooks: the endpoints that are notified of jobs' ends, the messages, and each attempt's result."""

from datetime import datetime

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from jobs.core.models.jobs import LONGEST_URL
from tenants.core.db.tenant_owned import TenantOwned


class WebhookEndpoint(TenantOwned):
    """A URL with its own queue and its own health, so that a dead endpoint delays no other."""

    class Kind(models.TextChoices):
        ENDPOINT = "endpoint", "account"
        JOBS = "jobs", "set by jobs"
        """All URLs of one server that single jobs named. The `url` of the row is the origin of the server."""

    class State(models.TextChoices):
        ENABLED = "enabled"
        DISABLED = "disabled"
        DELETED = "deleted"

    class Reason(models.TextChoices):
        BY_HAND = "by_hand", "disabled manually"
        GONE = "gone", "answered 410 Gone"
        FAILING = "failing", "failed for days"

    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.ENDPOINT)
    url = models.CharField(max_length=LONGEST_URL)
    livemode = models.BooleanField(default=True, db_default=True)
    description = models.CharField(max_length=200, blank=True)
    events = ArrayField(models.CharField(max_length=60), default=list)
    state = models.CharField(max_length=10, choices=State.choices, default=State.ENABLED)
    disabled_reason = models.CharField(max_length=10, choices=Reason.choices, blank=True)
    disabled_at = models.DateTimeField(null=True)
    succeeded_at = models.DateTimeField(null=True, help_text="Approximate time of the last successful delivery.")
    failing_since = models.DateTimeField(null=True, help_text="First failure since the last successful delivery.")
    given_up = models.PositiveIntegerField(
        "failed deliveries", default=0, help_text="Failed deliveries since the last successful delivery."
    )
    width = models.PositiveSmallIntegerField(
        default=2,
        db_default=2,
        help_text="Allowed concurrent requests: more while responses are fast, one after a failure.",
    )
    failures = models.PositiveIntegerField(
        default=0,
        db_default=0,
        help_text="Consecutive requests without a response or with a server error.",
    )
    paused_until = models.DateTimeField(
        "paused until", null=True, help_text="Nothing is sent until this time after repeated failures."
    )
    not_before = models.DateTimeField(
        "retry after", null=True, help_text="The server asked to wait until this time (Retry-After)."
    )
    notified_at = models.DateTimeField(
        null=True, editable=False, help_text="When the owners were mailed about the disabling."
    )
    next_notice_at = models.DateTimeField(
        null=True, editable=False, help_text="When to retry mailing the remaining owners."
    )
    notice_tries = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    notified_ids = ArrayField(
        models.UUIDField(),
        default=list,
        db_default=[],
        editable=False,
        help_text="Owners that were already mailed.",
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta(TenantOwned.Meta):
        verbose_name = "webhook"
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(
                fields=["tenant", "url", "livemode"],
                condition=models.Q(kind="jobs"),
                name="jobs_webhookendpoint_of_jobs_mode",
            ),
        ]

    @property
    def left_alone_until(self) -> datetime | None:
        return max(filter(None, (self.paused_until, self.not_before)), default=None)

    def __str__(self) -> str:
        return self.url


class WebhookSecret(TenantOwned):
    """The salt of a signing secret. The secret itself is not stored anywhere."""

    endpoint = models.ForeignKey(
        WebhookEndpoint,
        null=True,
        on_delete=models.CASCADE,
        related_name="secrets",
        db_constraint=False,
        db_index=False,
        help_text="Empty for the secret of the tenant, which signs messages to URLs set by jobs.",
    )
    of_tests = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether the secret of the tenant signs messages of test jobs.",
    )
    salt = models.BinaryField(max_length=32)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    ends_at = models.DateTimeField(null=True, help_text="When a rotated secret stops signing.")

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(
                fields=["tenant", "endpoint", "of_tests"],
                condition=models.Q(ends_at=None),
                nulls_distinct=False,
                name="jobs_webhooksecret_one_lasts_mode",
            ),
        ]

    def __str__(self) -> str:
        return f"secret of {self.endpoint_id or 'the tenant'}"


class WebhookMessage(TenantOwned):
    """An event, in exactly the bytes that are sent at every attempt."""

    job = models.ForeignKey(
        "jobs.Job", null=True, on_delete=models.CASCADE, related_name="+", db_constraint=False, db_index=False
    )
    type = models.CharField(max_length=60)
    body = models.TextField()
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta(TenantOwned.Meta):
        indexes = [
            models.Index(fields=["created_at"], name="jobs_webhookmessage_age"),
            models.Index(fields=["job"], name="jobs_webhookmessage_of_job"),
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.id}"

    @property
    def webhook_id(self) -> str:
        """Return the id in the header. It is the same for every attempt, so that a receiver recognizes a message that
        it has already received.
        """
        return f"msg_{self.id.hex}"


class WebhookDelivery(TenantOwned):
    """One message on its way to one endpoint."""

    class State(models.TextChoices):
        PENDING = "pending"
        DELIVERED = "delivered"
        FAILED = "failed"

    message = models.ForeignKey(
        WebhookMessage,
        on_delete=models.CASCADE,
        related_name="deliveries",
        db_constraint=False,
        db_index=False,
    )
    endpoint = models.ForeignKey(
        WebhookEndpoint,
        on_delete=models.CASCADE,
        related_name="deliveries",
        db_constraint=False,
        db_index=False,
    )
    url = models.CharField(max_length=LONGEST_URL, blank=True, help_text="URL set by the job, if any.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.PENDING)
    attempts_made = models.PositiveIntegerField(default=0)
    step = models.PositiveSmallIntegerField(default=0, help_text="Attempts since the first sending or the last replay.")
    next_attempt_at = models.DateTimeField(null=True, db_default=Now())
    lease_token = models.BigIntegerField(null=True)
    lease_until = models.DateTimeField(null=True)
    error_code = models.CharField(max_length=60, blank=True, help_text="Error code of the last attempt.")
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    ended_at = models.DateTimeField(null=True)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["message", "endpoint"], name="jobs_webhookdelivery_once"),
        ]
        indexes = [
            models.Index(
                fields=["endpoint", "next_attempt_at"],
                condition=models.Q(state="pending"),
                name="jobs_webhookdelivery_due",
            ),
            models.Index(
                fields=["next_attempt_at"],
                condition=models.Q(state="pending"),
                name="jobs_webhookdelivery_next",
            ),
            models.Index(
                fields=["lease_until"],
                condition=models.Q(state="pending", lease_until__isnull=False),
                name="jobs_webhookdelivery_held",
            ),
            models.Index(fields=["tenant", "endpoint", "-id"], name="jobs_webhookdelivery_list"),
        ]
        verbose_name_plural = "webhook deliveries"

    def __str__(self) -> str:
        return str(self.id)


class WebhookAttempt(TenantOwned):
    """One request to an endpoint, and its result."""

    delivery = models.ForeignKey(
        WebhookDelivery,
        on_delete=models.CASCADE,
        related_name="attempts",
        db_constraint=False,
        db_index=False,
    )
    number = models.PositiveIntegerField()
    started_at = models.DateTimeField()
    duration_ms = models.PositiveIntegerField()
    status = models.PositiveSmallIntegerField(
        null=True, help_text="HTTP status of the response. Empty without a response."
    )
    error_code = models.CharField(max_length=60, blank=True)
    detail = models.CharField(max_length=500, blank=True)
    response_body = models.TextField(blank=True, help_text="Beginning of the response body of a failure, if stored.")

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["delivery", "number"], name="jobs_webhookattempt_once"),
        ]

    def __str__(self) -> str:
        return f"attempt {self.number}"
