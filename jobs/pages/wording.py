"""How prices and states are worded for a person."""

from tenants.billing.prices import Price
from tenants.billing.wording import money

FREE = "free of charge"
_MANY_TOKENS = 1_000_000


def price_words(price: Price) -> str:
    """Tokens are cheap and many: by the million, as everybody else says it."""
    if price.amount_micros == 0:
        return FREE
    if price.meter == "token":
        return f"{money(price.cost_micros(_MANY_TOKENS), price.currency)} per million tokens"
    per = price.meter if price.per == 1 else f"{price.per} {price.meter}s"
    return f"{money(price.amount_micros, price.currency)} per {per}"


def state_words(state: str) -> str:
    return state.replace("_", " ")
