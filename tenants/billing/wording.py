"""How an amount of money is written for a person."""

from tenants.billing.prices import display


def money(amount_micros: int, currency: str) -> str:
    return f"{display(amount_micros)} {currency}"
