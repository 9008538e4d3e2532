"""Tests that the nearest price applies: the tenant's, its plan's for the model, its plan's for all, the model's own."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import get_args
from uuid import uuid4

import pytest

from tenants.plans.agreed import (
    NONE,
    AgreedPrices,
    IncludedOfThen,
    Of,
    PriceOfThen,
    included_between,
    prices_at,
)
from tenants.plans.prices import Price

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
OWN, OWN_CACHED = Price("page", 1000, 1, "EUR"), Price("page", 100, 1, "EUR")


def version(
    of: Of, model: str, amount: int | None, *, begins: datetime = NOW, cached: int | None = None
) -> PriceOfThen:
    return PriceOfThen(of, uuid4(), model, "page", amount, cached, 1, "EUR", begins)


EVERY = [
    version("tenant", "ocr", 1),
    version("tenant", "", 2),
    version("plan", "ocr", 3),
    version("plan", "", 4),
]


def found(held: AgreedPrices) -> tuple[int, str]:
    agreed = held.of_model("ocr", OWN, OWN_CACHED)
    return agreed.price.amount_micros, agreed.of


@pytest.mark.parametrize("taken_away", range(5))
def test_the_nearest_price_holds(taken_away: int) -> None:
    expected = [(1, "tenant"), (2, "tenant"), (3, "plan"), (4, "plan"), (1000, "model")]
    assert found(prices_at(EVERY[taken_away:], NOW)) == expected[taken_away]


def test_a_price_for_another_model_or_meter_is_not_taken() -> None:
    held = prices_at([version("tenant", "embed", 1)], NOW)
    assert found(held) == (1000, "model")
    tokens = Price("token", 5, 1000, "EUR")
    assert prices_at(EVERY, NOW).of_model("ocr", tokens, tokens).price == tokens


def test_known_results_cost_the_same_unless_a_price_for_them_is_said() -> None:
    same = prices_at([version("plan", "", 4)], NOW).of_model("ocr", OWN, OWN_CACHED)
    less = prices_at([version("plan", "", 4, cached=1)], NOW).of_model("ocr", OWN, OWN_CACHED)
    assert (same.cached_price.amount_micros, less.cached_price.amount_micros) == (4, 1)
    assert NONE.of_model("ocr", OWN, OWN_CACHED).cached_price == OWN_CACHED


def test_pages_to_check_cost_the_same_unless_a_price_for_them_is_set() -> None:
    free = Price("page", 0, 1, "EUR")
    plan = version("plan", "", 4)
    assert prices_at([plan], NOW).of_model("ocr", OWN, OWN_CACHED, free).price_of_review.amount_micros == 4
    less = prices_at([replace(plan, review_micros=1)], NOW).of_model("ocr", OWN, OWN_CACHED, free)
    assert (less.price.amount_micros, less.price_of_review.amount_micros) == (4, 1)
    assert NONE.of_model("ocr", OWN, OWN_CACHED, free).price_of_review == free
    assert NONE.of_model("ocr", OWN, OWN_CACHED).price_of_review == OWN


def test_a_version_holds_from_its_moment_on_and_not_before() -> None:
    later = NOW + timedelta(hours=1)
    versions = [version("plan", "", 4), version("plan", "", 5, begins=later)]
    assert found(prices_at(versions, NOW - timedelta(microseconds=1))) == (1000, "model")
    assert found(prices_at(versions, later - timedelta(microseconds=1))) == (4, "plan")
    assert found(prices_at(versions, later)) == (5, "plan")


def test_a_price_that_ends_gives_way_to_what_stands_behind_it() -> None:
    versions = [*EVERY, version("tenant", "ocr", None, begins=NOW + timedelta(hours=1))]
    assert found(prices_at(versions, NOW + timedelta(hours=2))) == (2, "tenant")


def test_what_is_included_in_a_time_is_the_most_that_was() -> None:
    day = timedelta(days=1)
    versions = [
        IncludedOfThen("", "page", quantity, NOW + days * day)
        for quantity, days in ((9, -9), (5, 0), (7, 2), (1, 4), (0, 9))
    ]
    parts = ((-1, 1, 9), (0, 1, 5), (0, 3, 7), (3, 9, 7), (4, 9, 1), (0, 0, 5))
    for since, until, most in (*parts, (-20, -10, None), (9, 9, None)):
        found = included_between(versions, NOW + since * day, NOW + until * day)
        assert [one.quantity for one in found] == ([most] if most else [])


def test_every_source_of_a_price_is_tried() -> None:
    assert set(get_args(Of)) == {"tenant", "plan", "model"}
