"""The tables of how pools are scaled: an operator's terms for each, and what was decided minute by minute."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from inference.scaling.pool import PoolTerms, Promise, Spike, Taming

_TERMS, _TAMING, _PROMISE = PoolTerms(), Taming(), Promise()
MAX_REPLICAS = 10_000


class ScalingTerms(models.Model):
    """The terms on which the number of a pool's workers is decided. A pool without any has those of a dry run."""

    class Mode(models.TextChoices):
        DRY_RUN = "dry-run", "Dry run"
        FOLLOW = "follow", "Follow"
        HOLD = "hold", "Hold"

    pool = models.SlugField(max_length=50, unique=True, help_text="Name of the pool, or 'default'.")
    mode = models.CharField(
        max_length=10,
        choices=Mode.choices,
        default=Mode.DRY_RUN,
        help_text="Dry run: decide, and keep what is there. Follow: the cluster follows. Hold: a fixed number.",
    )
    held = models.PositiveIntegerField(
        "held number", default=1, validators=[MaxValueValidator(MAX_REPLICAS)], help_text="Workers while it is held."
    )
    least = models.PositiveIntegerField(
        "fewest workers", default=_TERMS.least, help_text="0: none while there is no work."
    )
    most = models.PositiveIntegerField(
        "most workers", default=10, validators=[MinValueValidator(1), MaxValueValidator(MAX_REPLICAS)]
    )
    promised_percent = models.FloatField(
        "promised share, %",
        default=100 * _PROMISE.share,
        validators=[MinValueValidator(1.0), MaxValueValidator(99.99)],
        help_text="Share of pages and calls that begin in time.",
    )
    promised_wait_s = models.FloatField(
        "promised wait, s", default=_PROMISE.wait_s, validators=[MinValueValidator(0.01), MaxValueValidator(86_400)]
    )
    price_per_hour = models.FloatField(
        "price of a worker per hour", default=_TERMS.price_per_hour, validators=[MinValueValidator(0.0001)]
    )
    node_start_s = models.FloatField(
        "start of a node, s",
        default=_TERMS.node_start_s,
        validators=[MinValueValidator(0), MaxValueValidator(7200)],
        help_text="Time until a new node runs a worker. The load of models is measured and added.",
    )
    up = models.PositiveIntegerField("grow by at most", default=_TAMING.up, validators=[MinValueValidator(1)])
    up_every_s = models.FloatField(
        "within, s", default=_TAMING.up_every_s, validators=[MinValueValidator(1), MaxValueValidator(86_400)]
    )
    down = models.PositiveIntegerField("shrink by at most", default=_TAMING.down, validators=[MinValueValidator(1)])
    down_every_s = models.FloatField(
        "within, s", default=_TAMING.down_every_s, validators=[MinValueValidator(1), MaxValueValidator(86_400)]
    )
    spike_times = models.FloatField(
        "spike to absorb",
        null=True,
        blank=True,
        validators=[MinValueValidator(1.01), MaxValueValidator(1000)],
        help_text="Multiple of the usual traffic that comes about once a day. Spare workers are kept for it.",
    )

    class Meta:
        ordering = ["pool"]
        verbose_name = "scaling of a pool"
        verbose_name_plural = "scaling of pools"
        constraints = [
            models.CheckConstraint(
                condition=models.Q(least__lte=models.F("most")),
                name="inference_scaling_least_most",
                violation_error_message="There cannot be fewer workers at most than at least.",
            )
        ]

    def __str__(self) -> str:
        return self.pool

    def as_terms(self, load_s: float) -> PoolTerms:
        return PoolTerms(
            promise=Promise(self.promised_percent / 100, self.promised_wait_s),
            price_per_hour=self.price_per_hour,
            node_start_s=self.node_start_s,
            load_s=load_s,
            least=self.least,
            most=self.most,
            taming=Taming(up=self.up, up_every_s=self.up_every_s, down=self.down, down_every_s=self.down_every_s),
            spike=None if self.spike_times is None else Spike(self.spike_times),
        )


class ScalingMinute(models.Model):
    """A minute of a pool: what came, what waited, and the number of workers that was decided, with the reasons."""

    pool = models.CharField(max_length=50)
    minute = models.PositiveIntegerField(help_text="Minutes since 1970.")
    came = models.PositiveIntegerField()
    work_s = models.FloatField()
    oldest_wait_s = models.FloatField()
    ready = models.PositiveIntegerField()
    needed = models.PositiveIntegerField()
    wanted = models.PositiveIntegerField()
    is_predicted = models.BooleanField(default=False)
    reasons = models.JSONField(default=list)

    class Meta:
        ordering = ["pool", "minute"]
        constraints = [models.UniqueConstraint(fields=["pool", "minute"], name="inference_scalingminute_once")]

    def __str__(self) -> str:
        return f"{self.pool} at {self.minute}"
