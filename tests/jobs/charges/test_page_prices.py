import pytest

from jobs.charges.page_prices import highest, price_of_hit, price_of_run
from tenants.plans.prices import Price


def euros(amount_micros: int, per: int = 1) -> Price:
    return Price("page", amount_micros, per, "EUR")


@pytest.mark.parametrize(("needs_review", "amount"), [(False, 1000), (True, 200)])
def test_a_run_that_needs_review_costs_the_price_of_reviews(needs_review: bool, amount: int) -> None:
    assert price_of_run(euros(1000), euros(200), needs_review=needs_review) == euros(amount)


@pytest.mark.parametrize(
    ("cached", "review", "needs_review", "paid"),
    [
        (euros(100), euros(200), False, euros(100)),
        (euros(100), euros(200), True, euros(100)),
        (euros(100), euros(0), True, euros(0)),
        (euros(100), euros(0), False, euros(100)),
        (euros(100), euros(100), True, euros(100)),
        (euros(100), euros(900, per=10), True, euros(900, per=10)),
    ],
)
def test_a_hit_that_needs_review_costs_the_lower_price(
    cached: Price, review: Price, needs_review: bool, paid: Price
) -> None:
    assert price_of_hit(cached, review, needs_review=needs_review) == paid


def test_money_is_held_for_the_higher_price() -> None:
    assert highest(euros(1000), euros(0)) == euros(1000)
    assert highest(euros(1000), euros(2000)) == euros(2000)
    assert highest(euros(1000), euros(2000, per=10)) == euros(1000)
