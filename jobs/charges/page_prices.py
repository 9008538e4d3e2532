"""Decides which of a job's prices a page is charged."""

from fractions import Fraction

from tenants.plans.prices import Price


def price_of_run(price: Price, review_price: Price, *, needs_review: bool) -> Price:
    return review_price if needs_review else price


def price_of_hit(cached_price: Price, review_price: Price, *, needs_review: bool) -> Price:
    """Return the price of a cache hit: a page that a person must check costs no more than if it had been run."""
    return min(cached_price, review_price, key=_of_unit) if needs_review else cached_price


def highest(price: Price, review_price: Price) -> Price:
    """Return the higher price, because nobody knows before a run which pages need review."""
    return max(price, review_price, key=_of_unit)


def _of_unit(price: Price) -> Fraction:
    return Fraction(price.amount_micros, price.per)
