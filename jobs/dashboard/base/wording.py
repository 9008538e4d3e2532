"""Texts for prices, costs, deadlines and states. This module makes no queries."""

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from jobs.core.models import Job
from tenants.billing.dashboard.money import shown_money
from tenants.dashboard_base.moments import moment_html
from tenants.plans.agreed import AgreedPrices
from tenants.plans.prices import EVERY_MODEL, MS_PER_SECOND, Price
from tenants.plans.wording import exact_money, name_of

FREE = "free of charge"
MANY_TOKENS = 1_000_000


def price_words(price: Price) -> str:
    """Return a price as text. The price of tokens is given per million, as is usual, because a single token costs very
    little.
    """
    if price.amount_micros == 0:
        return FREE
    if price.meter == "token":
        return f"{exact_money(price.cost_micros(MANY_TOKENS), price.currency)} per million tokens"
    if price.meter == "gpu_second":
        return f"{exact_money(price.cost_micros(MS_PER_SECOND), price.currency)} per GPU second"
    meter = name_of(price.meter)
    per = meter if price.per == 1 else f"{price.per} {meter}s"
    return f"{exact_money(price.amount_micros, price.currency)} per {per}"


def own_model_cost(prices: AgreedPrices, model: str = EVERY_MODEL) -> str:
    """Say what a model of the account's own costs, by this name or by any."""
    free = Price("call", 0, 1, "EUR")
    call, hosting = prices.of_model(model, free, free).price, prices.of_hosting(model)
    costs = [price_words(price) for price in (call, hosting and hosting.price) if price and price.amount_micros]
    if not costs:
        return "It costs nothing."
    hours = ": each hour (UTC) in which a version is loaded or called" if hosting else ""
    return f"It costs {' and '.join(costs)}{hours}."


def due_words(job: Job) -> SafeString:
    """Return the deadline of the job, and how it ends then. The text is empty if there is no deadline."""
    ends = [(job.expires_at, "expires"), (job.cancel_at, "is canceled")]
    upcoming = sorted((at, end) for at, end in ends if at is not None)
    return format_html_join(", ", "{}, then it {}", ((moment_html(at, "second"), end) for at, end in upcoming[:1]))


def state_words(state: str) -> str:
    """Return a state as text. Batches have British spellings, as in OpenAI's API; people read American ones."""
    return state.replace("_", " ").replace("cancell", "cancel")


def class_words(label: str) -> str:
    """Return the class of a document as text."""
    return label[:1].upper() + label[1:].replace("_", " ")


def example_cost(price: Price) -> str:
    if price.amount_micros == 0:
        return "Using it costs nothing."
    quantity, what = {
        "page": (20, "A PDF of 20 pages costs"),
        "token": (10_000, "10,000 tokens, about 7,500 English words, cost"),
        "call": (1_000, "1,000 calls cost"),
        "gpu_second": (60_000, "A minute of computing costs"),
    }[price.meter]
    return format_html("{} {}.", what, shown_money(price.cost_micros(quantity), price.currency))


def repeat_words(price: Price) -> str:
    """Return the rounded price of a repeated request, with the exact price on hover."""
    if price.amount_micros == 0:
        return FREE
    units = {"token": MANY_TOKENS, "gpu_second": MS_PER_SECOND}.get(price.meter)
    amount = price.cost_micros(units) if units else price.amount_micros
    per = price_words(price).partition(" per ")[2]
    return format_html("{} per {}", shown_money(amount, price.currency), per)


def run_cost(price: Price, input_kind: str) -> str:
    if price.amount_micros == 0:
        return FREE
    if price.meter == "token":
        return f"{price_words(price)}; a word is one to two tokens"
    if price.meter == "gpu_second":
        return f"{price_words(price)}, for as long as the model computes"
    unit_price = exact_money(price.cost_micros(1), price.currency)
    if input_kind == "document":
        return f"{unit_price} per page of the document"
    return unit_price
