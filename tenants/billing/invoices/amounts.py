"""How amounts, rates and prices stand on an invoice: with as many decimals as the currency has. Pure."""

from collections.abc import Mapping

from tenants.core.shares import unit_micros
from tenants.plans.prices import Price, display
from tenants.plans.wording import number_of, per_words

MICROS = 1_000_000


def amount(amount_micros: int, currency: str) -> str:
    """Without the currency: 1,234.50; of yen 1,235."""
    decimals = len(str(MICROS // unit_micros(currency))) - 1
    whole, rest = divmod(abs(amount_micros), MICROS)
    sign = "-" if amount_micros < 0 else ""
    return f"{sign}{whole:,}{f'.{rest:06d}'[: decimals + 1] if decimals else ''}"


def amount_of(amount_micros: int, currency: str) -> str:
    return f"{amount(amount_micros, currency)} {currency}"


def percent(rate_bp: int) -> str:
    """1900 is 19 %."""
    return f"{rate_bp / 100:.2f}".rstrip("0").rstrip(".") + " %"


def quantity_of(quantity: int, price: Mapping[str, object] | None) -> str:
    """In what the price is for."""
    return number_of(quantity, str(price["meter"]) if price else "")


def unit_price(price: Mapping[str, object] | None) -> str:
    """As it was kept with the line; empty of a fee."""
    if not price:
        return ""
    known = Price.from_json(price)
    return f"{display(known.amount_micros)} / {per_words(known)}"
