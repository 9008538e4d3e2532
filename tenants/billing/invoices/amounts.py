"""Format amounts, rates and prices for invoices, with as many decimals as the currency has. Pure."""

from collections.abc import Mapping

from tenants.core.shares import unit_micros
from tenants.plans.prices import Price, display
from tenants.plans.wording import number_of, per_words

MICROS = 1_000_000


def amount(amount_micros: int, currency: str) -> str:
    """Return the amount without the currency, such as 1,234.50, or 1,235 for yen."""
    decimals = len(str(MICROS // unit_micros(currency))) - 1
    whole, rest = divmod(abs(amount_micros), MICROS)
    sign = "-" if amount_micros < 0 else ""
    return f"{sign}{whole:,}{f'.{rest:06d}'[: decimals + 1] if decimals else ''}"


def amount_of(amount_micros: int, currency: str) -> str:
    return f"{amount(amount_micros, currency)} {currency}"


def percent(rate_bp: int) -> str:
    """Return the rate as text. 1900 is 19 %."""
    return f"{rate_bp / 100:.2f}".rstrip("0").rstrip(".") + " %"


def quantity_of(quantity: int, price: Mapping[str, object] | None) -> str:
    """Return the quantity in the unit of the price."""
    return number_of(quantity, str(price["meter"]) if price else "")


def unit_price(price: Mapping[str, object] | None) -> str:
    """Return the unit price as stored with the line. Return an empty string for a fee."""
    if not price:
        return ""
    parsed = Price.from_json(price)
    return f"{display(parsed.amount_micros)} / {per_words(parsed)}"
