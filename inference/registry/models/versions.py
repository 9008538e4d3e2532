"""The tables of versions and of the members of pipelines."""

from django.db import models
from django.utils import timezone

from inference.registry.models.owned import LONGEST_AUTHOR, Owned
from inference.registry.models.served import ServedModel

DRIFTED = "its answers differ more from its source than its bounds allow: "
"""The beginning of the reason for which a version is paused that was made of a variant."""


class ModelVersion(Owned):
    """An immutable set of files and settings. The digest covers both."""

    class State(models.TextChoices):
        VALIDATING = "validating"
        READY = "ready"
        RETIRED = "retired"
        REFUSED = "refused"

    served_model = models.ForeignKey(ServedModel, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    runtime = models.CharField(max_length=20)
    digest = models.CharField(max_length=64)
    artifacts = models.JSONField(default=dict, help_text="SHA-256 digest, size and name of each file, by role.")
    config = models.JSONField(default=dict)
    signature = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State.choices, default=State.READY)
    license = models.CharField(max_length=200, blank=True, help_text="Name of the license, such as Apache-2.0.")
    description = models.TextField(blank=True)
    labels = models.JSONField(default=dict, blank=True)
    card = models.TextField(blank=True, help_text="Model card, in Markdown.")
    evaluation = models.JSONField(default=dict, blank=True, help_text="Results of evaluations, by name.")
    source = models.ForeignKey(
        "self", null=True, blank=True, editable=False, on_delete=models.PROTECT, related_name="derived"
    )
    lineage = models.JSONField(default=dict, editable=False, help_text="What it was made from, how and with what.")
    report = models.JSONField(default=dict, editable=False, help_text="Results of the checks, or why it was refused.")
    paused_reason = models.TextField(blank=True, help_text="Why it does not run. Empty: it may run.")
    paused_at = models.DateTimeField(null=True, editable=False)
    pause_mailed_at = models.DateTimeField(null=True, editable=False, help_text="When the owners were notified.")
    author = models.CharField(max_length=LONGEST_AUTHOR, blank=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    ready_at = models.DateTimeField(null=True, editable=False)
    deleted_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        ordering = ["served_model", "number"]
        constraints = [models.UniqueConstraint(fields=["served_model", "number"], name="inference_version_number")]

    def __str__(self) -> str:
        return self.key

    @property
    def key(self) -> str:
        """Return the name that callers know."""
        return f"{self.served_model.name}@{self.number}"

    @property
    def engine_key(self) -> str:
        """Return the name in queues, workers and metrics. It is unique in the installation."""
        return f"{self.served_model.engine_name}@{self.number}"

    @property
    def may_resume(self) -> bool:
        """Return whether it is paused for a reason that its owner may judge. A drifted version has left its bounds."""
        return bool(self.paused_reason) and not self.paused_reason.startswith(DRIFTED)

    @property
    def file_bytes(self) -> int:
        """Return the size of all its files. A pipeline has none."""
        return sum(int(artifact["bytes"]) for artifact in self.artifacts.values())

    @property
    def queue_name(self) -> str:
        return f"infer.{self.engine_key}"


class PipelineStep(Owned):
    """A version that another version calls in the same process."""

    pipeline = models.ForeignKey(ModelVersion, on_delete=models.CASCADE, related_name="steps")
    role = models.CharField(max_length=40)
    member = models.ForeignKey(ModelVersion, on_delete=models.PROTECT, related_name="used_by")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pipeline", "role"], name="inference_step_role")]

    def __str__(self) -> str:
        return f"{self.role}: {self.member}"
