"""Database models of the registry: models, their versions and the files of each version."""

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator
from django.db import models
from django.utils import timezone

from inference.batching.limits import LimitChanges, Sharing
from inference.cache.terms import CACHE_TTL_S, LONGEST_TTL_S
from tenants.plans.prices import METERS, Price
from tenants.plans.wording import name_of


class ModelPool(models.Model):
    """A group of models that share workers, with the rule by which a worker is chosen for each."""

    class Strategy(models.TextChoices):
        STICKY = "sticky"
        LEAST_OUTSTANDING = "least-outstanding", "Fewest pages in progress"
        RESPONSE_TIME = "response-time", "Earliest first page"
        RANDOM = "random"

    name = models.SlugField(
        max_length=50, unique=True, help_text="Name used in MAAS_WORKER_POOLS. 'default' is not allowed."
    )
    strategy = models.CharField(max_length=20, choices=Strategy.choices, default=Strategy.STICKY)

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


class ServedModel(models.Model):
    """A model name that callers use. The operator chooses the version that answers."""

    class State(models.TextChoices):
        ACTIVE = "active"
        PAUSED = "paused"

    name = models.SlugField(max_length=100, unique=True)
    title = models.CharField(max_length=200, blank=True)
    description = models.TextField(blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.ACTIVE)
    accepts = ArrayField(models.CharField(max_length=20), help_text="Kinds of input: document, text, texts or tensors.")
    parameters = models.JSONField(default=list, help_text="Name, type, default and description of each parameter.")
    price_meter = models.CharField(max_length=10, choices=[(meter, name_of(meter)) for meter in METERS])
    price_micros = models.PositiveBigIntegerField(
        help_text="In millionths of the currency, for the number of units below. 1000000 is 1.00."
    )
    price_per = models.PositiveIntegerField(default=1)
    currency = models.CharField(max_length=3, default="EUR")
    cached_price_micros = models.PositiveBigIntegerField(
        null=True,
        blank=True,
        help_text="In millionths of the currency. Leave empty for the price above.",
    )
    review_price_micros = models.PositiveBigIntegerField(
        null=True,
        blank=True,
        help_text="For pages that a person must check, in millionths of the currency. Leave empty for the price above. "
        "0: such pages are free.",
    )
    cache_ttl_s = models.PositiveIntegerField(
        default=CACHE_TTL_S,
        validators=[MaxValueValidator(LONGEST_TTL_S)],
        verbose_name="cache lifetime",
        help_text="Seconds for which a result is reused for the same input. 0: never.",
    )
    current = models.ForeignKey(
        "ModelVersion", null=True, blank=True, on_delete=models.PROTECT, related_name="current_of"
    )
    pool = models.ForeignKey(
        ModelPool,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="models",
        help_text="Pool whose workers serve the model. Leave empty for the default pool (workers without a pool).",
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name = "model"
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @property
    def price(self) -> Price:
        return self._price_of(self.price_micros)

    @property
    def cached_price(self) -> Price:
        """Return the price of an answer from the cache."""
        return self._price_of(self.price_micros if self.cached_price_micros is None else self.cached_price_micros)

    @property
    def review_price(self) -> Price | None:
        """Return the price of a page that a person must check, or None if it costs the same as others."""
        return None if self.review_price_micros is None else self._price_of(self.review_price_micros)

    def _price_of(self, amount_micros: int) -> Price:
        return Price.from_json(
            {
                "meter": self.price_meter,
                "amount_micros": amount_micros,
                "per": self.price_per,
                "currency": self.currency,
            }
        )


class BatchSetting(models.Model):
    """An operator's limits on how much of a model's file may run at once. An empty field means the file's own limit."""

    served_model = models.ForeignKey(ServedModel, on_delete=models.CASCADE, related_name="batch_settings")
    part = models.CharField(max_length=40, help_text="Role of the model file.")
    max_rows = models.PositiveIntegerField(null=True, blank=True)
    max_padded = models.PositiveBigIntegerField(null=True, blank=True)
    max_waiting = models.PositiveIntegerField(null=True, blank=True)
    max_wait_ms = models.FloatField(null=True, blank=True)
    sharing = models.CharField(
        max_length=10,
        blank=True,
        default="",
        choices=[(choice.value, choice.value) for choice in Sharing],
        help_text="Whether one batch may contain inputs of several tenants.",
    )

    class Meta:
        verbose_name = "batch limits"
        ordering = ["served_model", "part"]
        constraints = [models.UniqueConstraint(fields=["served_model", "part"], name="inference_batch_setting_of_part")]

    def __str__(self) -> str:
        return self.part

    @property
    def changes(self) -> LimitChanges:
        return LimitChanges(
            max_rows=self.max_rows,
            max_padded=self.max_padded,
            max_waiting=self.max_waiting,
            max_wait_ms=self.max_wait_ms,
            sharing=Sharing(self.sharing) if self.sharing else None,
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
    artifacts = models.JSONField(default=dict, help_text="SHA-256 digest, size and name of each file, by role.")
    config = models.JSONField(default=dict)
    signature = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State.choices, default=State.READY)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["served_model", "number"]
        constraints = [models.UniqueConstraint(fields=["served_model", "number"], name="inference_version_number")]

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
