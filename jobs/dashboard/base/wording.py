"""Texts for prices and states."""

from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from jobs.core.models import Job
from tenants.dashboard_base.moments import moment_html
from tenants.plans.prices import MS_PER_SECOND, Price
from tenants.plans.wording import exact_money

FREE = "free of charge"
MANY_TOKENS = 1_000_000


def price_words(price: Price) -> str:
    """Return the text of a price. Tokens are cheap and many, so their price is given per million, as is usual."""
    if price.amount_micros == 0:
        return FREE
    if price.meter == "token":
        return f"{exact_money(price.cost_micros(MANY_TOKENS), price.currency)} per million tokens"
    if price.meter == "gpu_second":
        return f"{exact_money(price.cost_micros(MS_PER_SECOND), price.currency)} per GPU second"
    per = price.meter if price.per == 1 else f"{price.per} {price.meter}s"
    return f"{exact_money(price.amount_micros, price.currency)} per {per}"


def due_words(job: Job) -> SafeString:
    """Return the deadline of the job, and how it ends then. The text is empty if there is no deadline."""
    ends = [(job.expires_at, "expires"), (job.cancel_at, "is canceled")]
    said = sorted((at, end) for at, end in ends if at is not None)
    return format_html_join(
        ", ", "{}, then it {}", ((moment_html(at, "second"), end) for at, end in said[:1])
    )


def state_words(state: str) -> str:
    """Return a state as text. Batches have British spellings, as in OpenAI's API; people read American ones."""
    return state.replace("_", " ").replace("cancell", "cancel")
