"""The units of work of jobs, and the order of those that wait."""

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models.functions import Now

from inference.models import ModelVersion
from jobs.core import priorities, states
from jobs.core.models.jobs import Job
from tenants.core.db.tenant_owned import TenantOwned

_STATES = [(state, state) for state in states.PAGE_STATES]


class Page(TenantOwned):
    """The unit of work. Cancels, retries, leases, results and charges are by page."""

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="pages", db_constraint=False, db_index=False)
    model_version = models.ForeignKey(ModelVersion, on_delete=models.PROTECT, related_name="+", db_index=False)
    number = models.PositiveIntegerField()
    priority = models.SmallIntegerField(
        choices=priorities.CHOICES,
        default=priorities.STANDARD,
        db_default=priorities.STANDARD,
        help_text="Priority of the job while the page is queued.",
    )
    state = models.CharField(max_length=20, choices=_STATES, default=states.QUEUED)
    attempt = models.PositiveSmallIntegerField(default=0)
    queue_at = models.DateTimeField(
        "queue position",
        db_default=Now(),
        editable=False,
        help_text="Pages of a queue are released in this order. Later pages of a job count as submitted later.",
    )
    run_after = models.DateTimeField(db_default=Now(), help_text="According to the clock of the database.")
    renotify_at = models.DateTimeField(
        "next notification", null=True, help_text="Workers are notified again at this time."
    )
    # The column is empty while no account has a tier, and costs nothing then.
    pool = models.CharField(  # noqa: DJ001
        max_length=50,
        null=True,
        editable=False,
        help_text="Pool whose workers were last notified, if a tier decided it.",
    )
    lease_token = models.BigIntegerField(null=True)
    lease_until = models.DateTimeField(null=True)
    worker = models.CharField(max_length=100, blank=True)
    result = models.JSONField(null=True)
    units = models.JSONField(null=True, help_text="Billable units of the result.")
    result_at = models.DateTimeField(null=True, help_text="When the result was created.")
    quality = models.FloatField(null=True, help_text="How well the page was read, from 0 to 1.")
    needs_review = models.BooleanField(
        "to check", default=False, db_default=False, help_text="Whether a person should check the result."
    )
    class_probabilities = models.JSONField(null=True, help_text="Probability of each class.")
    cache_key = models.BinaryField(
        null=True,
        max_length=32,
        help_text="Key of the result in the cache. While a page runs, no other page with this key runs.",
    )
    cached = models.BooleanField(
        "cache hit", default=False, db_default=False, help_text="Whether the result came from the cache."
    )
    waits_for = models.BinaryField(
        null=True, max_length=32, help_text="Key of the identical page in progress that this page waits for."
    )
    awaited = models.BooleanField(default=False, db_default=False, help_text="Whether other pages wait for the result.")
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
                name="jobs_page_cached",
            ),
            models.Index(
                fields=["tenant", "waits_for"],
                condition=models.Q(state="queued", waits_for__isnull=False),
                name="jobs_page_waiting",
            ),
            models.Index(fields=["model_version", "id"], condition=models.Q(state="queued"), name="jobs_page_queue"),
            # This serves pages that wait to be released, each queue in its order. Pages that are not due are skipped
            # within the index.
            models.Index(
                fields=["model_version", "priority", "tenant", "queue_at", "id", "run_after"],
                condition=models.Q(state="queued", renotify_at__isnull=True),
                name="jobs_page_ordered_queues",
            ),
            # This finds the pages of which workers of a pool were notified. Without tiers it has no entries.
            models.Index(
                fields=["model_version", "pool"],
                condition=models.Q(state="queued", pool__isnull=False),
                name="jobs_page_in_pools",
            ),
            # This tells whether a page of a job runs and which page waits next, however many of its pages have ended.
            models.Index(
                fields=["job", "-state", "number"],
                condition=models.Q(state__in=["queued", "running"]),
                name="jobs_page_unfinished",
            ),
            # This finds the pages whose leases have ended as well. No index names `lease_until`, so that the renewal of
            # a lease writes to none.
            models.Index(fields=["model_version"], condition=models.Q(state="running"), name="jobs_page_running"),
            models.Index(
                fields=["state", "-id"],
                condition=models.Q(state__in=[states.FAILED, states.CANCELED]),
                name="jobs_page_failed",
            ),
            models.Index(fields=["error_code", "-id"], condition=~models.Q(error_code=""), name="jobs_page_by_error"),
            models.Index(fields=["-id"], condition=models.Q(needs_review=True), name="jobs_page_to_review"),
            models.Index(fields=["model_version", "-id"], name="jobs_page_of_version"),
            models.Index(fields=["worker", "-id"], condition=~models.Q(worker=""), name="jobs_page_by_worker"),
            models.Index(
                fields=["finished_at"],
                include=["state", "error_code"],
                condition=models.Q(finished_at__isnull=False),
                name="jobs_page_finished",
            ),
        ]

    def __str__(self) -> str:
        return f"page {self.number} of {self.job_id}"


class FairShare(TenantOwned):
    """The virtual time of a queue of waiting pages (jobs/queue/fairness.py). Without a row, nothing is owed."""

    model_version = models.ForeignKey(ModelVersion, on_delete=models.CASCADE, related_name="+", db_index=False)
    priority = models.SmallIntegerField(choices=priorities.CHOICES)
    began = models.FloatField(
        help_text="Position of the last released page. The highest is the current position of the version."
    )
    ends = models.FloatField(help_text="Position of the next page, unless it has passed.")
    pool = models.CharField(
        max_length=50, default="", db_default="", help_text="Pool to which the last page went, if a tier decided it."
    )

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["model_version", "tenant", "priority"], name="jobs_fairshare_once"),
        ]

    def __str__(self) -> str:
        return f"{self.get_priority_display()} pages of {self.tenant_id}"


class PageText(TenantOwned):
    """The search text of a page or of a document's name. `id` is that of the page, or of the job for a name."""

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="+", db_constraint=False, db_index=False)
    number = models.PositiveIntegerField(help_text="Page number. 0 for the document name.")
    words = SearchVectorField()

    class Meta(TenantOwned.Meta):
        indexes = [
            # Each entry is written directly rather than into a list of pending entries. Every search reads that list
            # from its beginning, and now and then the write of a page has to sort it in.
            GinIndex(fields=["words"], fastupdate=False, name="jobs_pagetext_words"),
            models.Index(fields=["tenant", "job", "number"], name="jobs_pagetext_of_job"),
        ]

    def __str__(self) -> str:
        return f"words of page {self.number} of {self.job_id}" if self.number else f"name of {self.job_id}"


class PageToEmbed(TenantOwned):
    """An order to embed the text of a finished page for the search. `id` is that of the page."""

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="+", db_constraint=False, db_index=False)
    number = models.PositiveIntegerField()
    model_version = models.ForeignKey(
        ModelVersion, on_delete=models.CASCADE, related_name="+", help_text="The version that embeds the text."
    )
    attempt = models.PositiveSmallIntegerField(default=0, db_default=0)
    run_after = models.DateTimeField(db_default=Now(), help_text="According to the clock of the database.")

    class Meta(TenantOwned.Meta):
        indexes = [
            models.Index(fields=["run_after"], name="jobs_pagetoembed_due"),
            models.Index(fields=["tenant", "job"], name="jobs_pagetoembed_of_job"),
        ]

    def __str__(self) -> str:
        return f"page {self.number} of {self.job_id}"
