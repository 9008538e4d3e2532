"""Model fields for the limits of an account, a plan, a key and a model."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from tenants.limits.effective import MAX_DAYS
from tenants.limits.rates.rates import MAX_AT_ONCE, MOST

MAX_WEIGHT = 1000
_OR_FOR_EVER = "Empty: the plan's, or else the installation's. 0: for ever."
OF_ACCOUNT = "Empty: only the account's."
_OR_UNLIMITED = "Empty: the plan's, or else the installation's. 0: unlimited."


def own_limit(
    what: str, help_text: str, *, least: int, most: int = MOST
) -> "models.PositiveIntegerField[int | None, int | None]":
    """Return the field of a limit. The field is empty if the owner has no limit of its own."""
    bounds = [MinValueValidator(least), MaxValueValidator(most)]
    return models.PositiveIntegerField(what, null=True, blank=True, validators=bounds, help_text=help_text)


class AccountLimits(models.Model):
    """The limits of an account. The first level that sets a value applies: the tenant, its plan, the installation."""

    requests_per_minute = own_limit("requests a minute", _OR_UNLIMITED, least=0)
    tokens_per_minute = own_limit("tokens a minute", _OR_UNLIMITED, least=0)
    pages_per_minute = own_limit("pages a minute", _OR_UNLIMITED, least=0)
    calls_at_once = own_limit("calls at once", _OR_UNLIMITED, least=0, most=MAX_AT_ONCE)
    unfinished_jobs = own_limit("unfinished jobs", _OR_UNLIMITED, least=0)
    unfinished_pages = own_limit("unfinished pages", _OR_UNLIMITED, least=0)
    pages_at_once = own_limit("pages at once", _OR_UNLIMITED, least=0)
    storage_mb = own_limit("stored megabytes", _OR_UNLIMITED, least=0)
    weight = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(MAX_WEIGHT)],
        help_text="Its part of the workers while others wait too: with 3, three pages for each one of who has 1."
        " Empty: the plan's, or else 1.",
    )
    keep_documents_days = own_limit("days documents are kept", _OR_FOR_EVER, least=0, most=MAX_DAYS)
    keep_results_days = own_limit("days results are kept", _OR_FOR_EVER, least=0, most=MAX_DAYS)
    keep_events_days = own_limit("days events are kept", _OR_FOR_EVER, least=0, most=MAX_DAYS)

    class Meta:
        abstract = True


OF_JOBS = ("unfinished_jobs", "unfinished_pages", "pages_at_once", "storage_mb", "weight")
KEPT = ("keep_documents_days", "keep_results_days", "keep_events_days")
