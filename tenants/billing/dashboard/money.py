"""Formats an amount of money for the dashboard: rounded to a payable amount, with the exact amount on hover."""

from django.utils.html import format_html
from django.utils.safestring import SafeString

from tenants.core.shares import unit_micros
from tenants.plans.wording import MICROS, exact_money, rounded_money

SIGNIFICANT_DIGITS = 2


def estimated_money(amount_micros: int, currency: str) -> SafeString:
    """Return an amount that is not paid by itself: below one unit of the currency with two significant digits. The
    exact amount is added if it differs.
    """
    if amount_micros >= MICROS:
        return shown_money(amount_micros, currency)
    unit = 10 ** max(0, len(str(amount_micros)) - SIGNIFICANT_DIGITS)
    rounded = exact_money((amount_micros + unit // 2) // unit * unit, currency)
    exact = exact_money(amount_micros, currency)
    if rounded == exact:
        return format_html("{}", exact)
    return format_html('<span title="{}">{}</span>', exact, rounded)


def shown_money(amount_micros: int, currency: str) -> SafeString:
    """Return the rounded amount. The exact amount is added only if it differs."""
    rounded = rounded_money(amount_micros, currency)
    if amount_micros % unit_micros(currency) == 0:
        return format_html("{}", rounded)
    return format_html('<span title="{}">{}</span>', exact_money(amount_micros, currency), rounded)
