"""The table of variants, and that of the work on versions and variants which takes a while."""

from typing import Any

from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

from inference.registry.models.owned import LONGEST_AUTHOR, Owned
from inference.registry.models.versions import ModelVersion
from tenants.core.ids import uuid7


class ModelVariant(Owned):
    """A file for a version in another precision or shape, with its measurements and the verdict of the gate."""

    class State(models.TextChoices):
        MEASURING = "measuring"
        ADMITTED = "admitted"
        REFUSED = "refused"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    version = models.ForeignKey(ModelVersion, on_delete=models.CASCADE, related_name="variants")
    precision = models.CharField(max_length=10)
    transformation = models.CharField(max_length=60, blank=True, help_text="Empty: the file was uploaded.")
    artifact = models.JSONField()
    lineage = models.JSONField(default=dict)
    report = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State.choices, default=State.MEASURING)
    used_as = models.ForeignKey(ModelVersion, null=True, on_delete=models.SET_NULL, related_name="made_of")
    author = models.CharField(max_length=LONGEST_AUTHOR, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["version", "created_at"]

    def __str__(self) -> str:
        return f"{self.version} in {self.precision}"


class ModelTask(Owned):
    """Work on a version that takes a while: its checks, the measuring of a variant, its optimization or a replay."""

    class Kind(models.TextChoices):
        VALIDATE = "validate"
        MEASURE = "measure"
        OPTIMIZE = "optimize"
        REPLAY = "replay"

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"
        CANCELED = "canceled"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    version = models.ForeignKey(ModelVersion, on_delete=models.CASCADE, related_name="tasks")
    variant = models.ForeignKey(ModelVariant, null=True, on_delete=models.CASCADE, related_name="tasks")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    params = models.JSONField(default=dict)
    stage = models.CharField(max_length=200, blank=True)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    result = models.JSONField(default=dict)
    error_code = models.CharField(max_length=60, blank=True)
    error_detail = models.CharField(max_length=500, blank=True)
    canceling = models.BooleanField(default=False)
    author = models.CharField(max_length=LONGEST_AUTHOR, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    run_after = models.DateTimeField(db_default=Now())
    attempt = models.PositiveIntegerField(default=0)
    worker = models.CharField(max_length=200, blank=True)
    lease_token = models.BigIntegerField(null=True)
    lease_until = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at"]
        indexes = [
            models.Index(
                fields=["run_after"],
                condition=models.Q(state__in=["queued", "running"]),
                name="inference_task_waiting",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.version}"

    @property
    def ended(self) -> bool:
        return self.state not in {self.State.QUEUED, self.State.RUNNING}

    def progress(self) -> dict[str, Any]:
        return {"stage": self.stage, "done": self.done, "total": self.total}
