"""What can be served: models, their versions and the files each version is made of."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from tenants.billing.prices import Price


class ServedModel(models.Model):
    """A name that callers use; which version answers is the operator's choice."""

    class State(models.TextChoices):
        ACTIVE = "active"
        PAUSED = "paused"

    name = models.SlugField(max_length=100, unique=True)
    title = models.CharField(max_length=200, blank=True)
    description = models.TextField(blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.ACTIVE)
    accepts = ArrayField(models.CharField(max_length=20), help_text="document, text, texts or tensors")
    parameters = models.JSONField(default=list, help_text="Name, type, default and meaning of each.")
    price_meter = models.CharField(
        max_length=10, choices=[("page", "page"), ("token", "token"), ("call", "call")]
    )
    price_micros = models.PositiveBigIntegerField(
        help_text="Micro-units of the currency for `price per` units."
    )
    price_per = models.PositiveIntegerField(default=1)
    currency = models.CharField(max_length=3, default="EUR")
    current = models.ForeignKey(
        "ModelVersion", null=True, blank=True, on_delete=models.PROTECT, related_name="current_of"
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @property
    def price(self) -> Price:
        return Price.from_json(
            {
                "meter": self.price_meter,
                "amount_micros": self.price_micros,
                "per": self.price_per,
                "currency": self.currency,
            }
        )


class ModelVersion(models.Model):
    """An immutable set of files and settings. The digest covers both."""

    class State(models.TextChoices):
        READY = "ready"
        RETIRED = "retired"

    served_model = models.ForeignKey(ServedModel, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    runtime = models.CharField(max_length=20)
    digest = models.CharField(max_length=64)
    artifacts = models.JSONField(default=dict, help_text="Role to {sha256, bytes, file}.")
    config = models.JSONField(default=dict)
    signature = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State.choices, default=State.READY)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["served_model", "number"]
        constraints = [
            models.UniqueConstraint(fields=["served_model", "number"], name="inference_version_number")
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def key(self) -> str:
        return f"{self.served_model.name}@{self.number}"

    @property
    def queue_name(self) -> str:
        return f"infer.{self.key}"


class PipelineStep(models.Model):
    """A version that another version calls in the same process."""

    pipeline = models.ForeignKey(ModelVersion, on_delete=models.CASCADE, related_name="steps")
    role = models.CharField(max_length=40)
    member = models.ForeignKey(ModelVersion, on_delete=models.PROTECT, related_name="used_by")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pipeline", "role"], name="inference_step_role")]

    def __str__(self) -> str:
        return f"{self.role}: {self.member}"
