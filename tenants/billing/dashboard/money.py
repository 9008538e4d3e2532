"""How an amount of money stands on a page: rounded to what a person can pay, exact on hover."""

from django.utils.html import format_html
from django.utils.safestring import SafeString

from tenants.core.shares import unit_micros
from tenants.plans.wording import exact_money, rounded_money


def shown_money(amount_micros: int, currency: str) -> SafeString:
    """Write the exact amount beside it only where it says more."""
    rounded = rounded_money(amount_micros, currency)
    if amount_micros % unit_micros(currency) == 0:
        return format_html("{}", rounded)
    return format_html('<span title="{}">{}</span>', exact_money(amount_micros, currency), rounded)
