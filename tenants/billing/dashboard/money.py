"""Formats an amount of money for the dashboard: rounded to a payable amount, with the exact amount on hover."""

from django.utils.html import format_html
from django.utils.safestring import SafeString

from tenants.core.shares import unit_micros
from tenants.plans.wording import exact_money, rounded_money


def shown_money(amount_micros: int, currency: str) -> SafeString:
    """Return the rounded amount. The exact amount is added only if it differs."""
    rounded = rounded_money(amount_micros, currency)
    if amount_micros % unit_micros(currency) == 0:
        return format_html("{}", rounded)
    return format_html('<span title="{}">{}</span>', exact_money(amount_micros, currency), rounded)
