"""Amounts of money, and what they are for, as text for a person."""

from tenants.core.shares import rounded, unit_micros
from tenants.plans.prices import MS_PER_SECOND, Price, display

MICROS = 1_000_000
_SYMBOLS = {"EUR": "€", "USD": "$", "GBP": "£"}
_NAMES = {"gpu_second": "GPU second", "model_hour": "model hour"}


def figures(amount_micros: int) -> str:
    """Write an amount with separated thousands, as quantities have: 1,234,567.00."""
    whole, _, fraction = display(abs(amount_micros)).partition(".")
    return f"{'-' if amount_micros < 0 else ''}{int(whole):,}.{fraction}"


def money(amount_micros: int, currency: str) -> str:
    return f"{figures(amount_micros)} {currency}"


def symbol_of(currency: str) -> str:
    """Return the common sign of a currency, or its code."""
    return _SYMBOLS.get(currency, currency)


def exact_money(amount_micros: int, currency: str) -> str:
    """Write every decimal, as prices need it: 0.0015 €."""
    return f"{figures(amount_micros)} {symbol_of(currency)}"


def rounded_money(amount_micros: int, currency: str) -> str:
    """Write what a person can pay, rounded as bills are: 1,234.57 €.

    Amounts smaller than the smallest coin are `< 0.01 €` and `-0.00 €`.
    """
    unit, symbol = unit_micros(currency), symbol_of(currency)
    decimals = len(str(MICROS // unit)) - 1
    sign, size = ("-", -amount_micros) if amount_micros < 0 else ("", amount_micros)
    if 0 < size < unit:
        return f"-{0:.{decimals}f} {symbol}" if sign else f"< {unit / MICROS:.{decimals}f} {symbol}"
    whole, rest = divmod(rounded(size, unit) // unit, MICROS // unit)
    fraction = f".{rest:0{decimals}d}" if decimals else ""
    return f"{sign}{whole:,}{fraction} {symbol}"


def name_of(meter: str) -> str:
    return _NAMES.get(meter, meter)


def number_of(quantity: int, meter: str) -> str:
    """Write a quantity. A quantity of time is in seconds: 1234567 is 1,234.567."""
    if meter != "gpu_second":
        return f"{quantity:,}"
    whole, rest = divmod(abs(quantity), MS_PER_SECOND)
    return f"{'-' if quantity < 0 else ''}{whole:,}{f'.{rest:03d}'.rstrip('0') if rest else ''}"


def used_words(quantity: int, meter: str) -> str:
    """Describe a quantity with its unit: 1 page, 1,500 tokens, 0.25 GPU seconds."""
    number = number_of(quantity, meter)
    return f"{number} {name_of(meter)}{'' if number == '1' else 's'}"


def per_words(price: Price) -> str:
    """Describe what a price is for: page, 1,000 tokens, GPU second."""
    return used_words(price.per, price.meter).removeprefix("1 ")
