"""The tables of how models are served: pools of workers, and measurements of files on devices."""

from django.core.validators import MinValueValidator
from django.db import models
from django.utils import timezone


class ModelPool(models.Model):
    """A group of models that share workers, with the rule by which a worker is chosen for each."""

    class Strategy(models.TextChoices):
        STICKY = "sticky"
        LEAST_OUTSTANDING = "least-outstanding", "Fewest pages in progress"
        RESPONSE_TIME = "response-time", "Earliest first page"
        RANDOM = "random"

    class Capacity(models.TextChoices):
        RESERVED = "reserved"
        STANDARD = "standard"
        SPOT = "spot"

    name = models.SlugField(
        max_length=50, unique=True, help_text="Name used in MAAS_WORKER_POOLS. 'default' is not allowed."
    )
    strategy = models.CharField(max_length=20, choices=Strategy.choices, default=Strategy.STICKY)
    capacity = models.CharField(
        "class",
        max_length=10,
        choices=Capacity.choices,
        default=Capacity.STANDARD,
        db_default=Capacity.STANDARD,
        help_text="Machines of the class spot may be taken away at any time. They get no interactive work of tiers.",
    )
    dedicated = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Only workers that name this pool in MAAS_WORKER_POOLS serve it. Otherwise workers that name none do"
        " too.",
    )
    warm = models.BooleanField(
        default=False,
        db_default=False,
        help_text="If a tier names this pool: load every model here before the first request, as memory allows.",
    )
    link_mb_s = models.FloatField(
        "fetches, MB/s",
        null=True,
        blank=True,
        validators=[MinValueValidator(0.1)],
        help_text="Speed at which its workers fetch the files of a model, which counts for overflow. Empty: at once.",
    )
    hardware = models.CharField(max_length=60, blank=True, db_default="", help_text="Such as L4. Shown only.")
    region = models.CharField(max_length=60, blank=True, db_default="", help_text="Such as eu-central. Shown only.")
    precision = models.CharField(max_length=20, blank=True, db_default="", help_text="Such as fp16. Shown only.")

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                condition=~models.Q(name="default"),
                name="inference_pool_not_default",
                violation_error_message="The name 'default' is reserved. Choose another name.",
            )
        ]

    def __str__(self) -> str:
        return self.name


class SessionProfile(models.Model):
    """Measurements that workers made of a model file on a kind of device. Lost ones are measured again."""

    artifact = models.CharField(max_length=64, help_text="SHA-256 of the file.")
    device = models.CharField(max_length=200, help_text="Provider, processor and version of ONNX Runtime.")
    file_bytes = models.PositiveBigIntegerField(default=0)
    loaded_bytes = models.PositiveBigIntegerField(default=0, help_text="Memory after load and warm-up.")
    alone = models.BooleanField(default=False, help_text="Whether nothing else ran during the measurement.")
    peak_bytes = models.PositiveBigIntegerField(default=0, help_text="Memory including the largest runs.")
    load_s = models.FloatField(default=0.0)
    warm_up_s = models.FloatField(default=0.0)
    fit = models.JSONField(default=dict, help_text="Estimated duration of batches.")
    exactness = models.JSONField(default=dict, help_text="Whether rows may share a batch.")
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["artifact", "device"]
        constraints = [models.UniqueConstraint(fields=["artifact", "device"], name="inference_profile_of_device")]

    def __str__(self) -> str:
        return f"{self.artifact[:12]} on {self.device}"
