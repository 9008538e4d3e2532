"""Model fields for the limits of an account, a plan, a key and a model."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from tenants.limits.effective import MAX_DAYS
from tenants.limits.rates.rates import MAX_AT_ONCE, MOST

MAX_WEIGHT = 1000
_OR_FOREVER = "Leave empty for the limit of the plan, or else the installation. 0: forever."
OF_ACCOUNT = "Leave empty for no limit besides the limit of the account."
_OR_NONE = "Leave empty for the limit of the plan, or else the installation. 0: none."
_OR_THE_PLANS = "Leave empty for the limit of the plan, or else the installation."
MAX_OWN_MODELS = 10_000
MAX_MODEL_MB = 2000
"""The largest file that the ONNX format allows, in MB."""
_OR_UNLIMITED = "Leave empty for the limit of the plan, or else the installation. 0: unlimited."


def own_limit(
    what: str, help_text: str, *, least: int, most: int = MOST
) -> "models.PositiveIntegerField[int | None, int | None]":
    """Return the field of a limit. The field is empty if the owner has no limit of its own."""
    bounds = [MinValueValidator(least), MaxValueValidator(most)]
    return models.PositiveIntegerField(what, null=True, blank=True, validators=bounds, help_text=help_text)


class AccountLimits(models.Model):
    """The limits of an account. The first level that sets a value applies: the tenant, its plan, the installation."""

    requests_per_minute = own_limit("requests per minute", _OR_UNLIMITED, least=0)
    tokens_per_minute = own_limit("tokens per minute", _OR_UNLIMITED, least=0)
    pages_per_minute = own_limit("pages per minute", _OR_UNLIMITED, least=0)
    calls_at_once = own_limit("concurrent calls", _OR_UNLIMITED, least=0, most=MAX_AT_ONCE)
    unfinished_jobs = own_limit("unfinished jobs", _OR_UNLIMITED, least=0)
    unfinished_pages = own_limit("unfinished pages", _OR_UNLIMITED, least=0)
    pages_at_once = own_limit("concurrent pages", _OR_UNLIMITED, least=0)
    storage_mb = own_limit("storage in MB", _OR_UNLIMITED, least=0)
    own_models = own_limit("own models", _OR_NONE, least=0, most=MAX_OWN_MODELS)
    own_model_mb = own_limit("file of an own model in MB", _OR_THE_PLANS, least=1, most=MAX_MODEL_MB)
    weight = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(MAX_WEIGHT)],
        help_text="Share of the workers when several tenants wait: weight 3 gets three times as many pages as weight 1."
        " Leave empty for the weight of the plan, or else 1.",
    )
    keep_documents_days = own_limit("document retention in days", _OR_FOREVER, least=0, most=MAX_DAYS)
    keep_results_days = own_limit("result retention in days", _OR_FOREVER, least=0, most=MAX_DAYS)
    keep_events_days = own_limit("event retention in days", _OR_FOREVER, least=0, most=MAX_DAYS)

    class Meta:
        abstract = True


OF_MODELS = ("own_models", "own_model_mb")
OF_JOBS = ("unfinished_jobs", "unfinished_pages", "pages_at_once", "storage_mb", "weight")
KEPT = ("keep_documents_days", "keep_results_days", "keep_events_days")
