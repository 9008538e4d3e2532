"""The table of models, the names that callers use, and of the accounts that a model is shared with."""

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator
from django.db import models
from django.utils import timezone

from inference.cache.terms import CACHE_TTL_S, LONGEST_TTL_S
from inference.registry.models.owned import Owned
from inference.registry.models.serving import ModelPool
from tenants.plans.prices import METERS_OF_WORK, Price
from tenants.plans.wording import name_of


class ServedModel(Owned):
    """A model name that callers use. Its owner chooses the version that answers."""

    class State(models.TextChoices):
        ACTIVE = "active"
        PAUSED = "paused"
        SUSPENDED = "suspended", "Suspended by the operator"

    class Audience(models.TextChoices):
        EVERYONE = "everyone"
        CHOSEN = "chosen", "Chosen accounts"

    name = models.SlugField(max_length=100)
    title = models.CharField(max_length=200, blank=True)
    description = models.TextField(blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.ACTIVE)
    accepts = ArrayField(models.CharField(max_length=20), help_text="Kinds of input: document, text, texts or tensors.")
    parameters = models.JSONField(default=list, help_text="Name, type, default and description of each parameter.")
    price_meter = models.CharField(max_length=10, choices=[(meter, name_of(meter)) for meter in METERS_OF_WORK])
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
        "ModelVersion",
        null=True,
        blank=True,
        editable=False,
        on_delete=models.PROTECT,
        related_name="current_of",
        help_text="Version of the alias 'current'. The database keeps it when the alias moves.",
    )
    audience = models.CharField(
        max_length=10,
        choices=Audience.choices,
        default=Audience.EVERYONE,
        help_text="Accounts that may use a model of the installation. A model of an account is for that account alone.",
    )
    isolated = models.BooleanField(
        default=False,
        help_text="Run it in a process of its own under the sandbox, as models of accounts always are.",
    )
    kind = models.CharField(
        max_length=20,
        blank=True,
        help_text="How variants are compared: embedding, text, classifier or tensor. Empty: found from its outputs.",
    )
    bounds = models.JSONField(
        default=dict, blank=True, help_text="Largest deviation of a variant, by measure. Empty: the defaults."
    )
    deleted_at = models.DateTimeField(null=True, editable=False)
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
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "name"],
                name="inference_model_name",
                nulls_distinct=False,
                violation_error_message="There is a model of this name already.",
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def engine_name(self) -> str:
        """Return the name in queues, workers and metrics. It is unique in the installation."""
        return self.name if self.tenant_id is None else f"{self.name}.{self.tenant_id.hex}"

    @property
    def runtime_of_versions(self) -> str | None:
        """Return the runtime of the newest version, or None without versions."""
        newest = self.versions.order_by("-number").values_list("runtime", flat=True)
        return newest.first()

    @property
    def is_isolated(self) -> bool:
        """Return whether it runs in a process of its own under the sandbox."""
        return self.isolated or self.tenant_id is not None

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


class ModelShare(models.Model):
    """An account that may use a model of the installation that is not for everyone."""

    served_model = models.ForeignKey(ServedModel, on_delete=models.CASCADE, related_name="shares")
    account = models.ForeignKey("tenants.Tenant", on_delete=models.CASCADE, related_name="+")

    class Meta:
        verbose_name = "account with access"
        verbose_name_plural = "accounts with access"
        constraints = [models.UniqueConstraint(fields=["served_model", "account"], name="inference_share_once")]

    def __str__(self) -> str:
        return f"{self.served_model} for {self.account}"
