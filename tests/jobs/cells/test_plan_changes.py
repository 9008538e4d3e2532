"""Test which versions of prices and included units begin in a cell, and which plans it refuses."""

from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jobs.cells.documents import IncludedPart, PricePart
from jobs.cells.plan_changes import PlanHere, included_versions, plan_refusal, price_versions
from tests.jobs.cells.stand_in import plan_part

NOW = datetime(2027, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def price(hours: float, amount: int | None, model: str = "", cached: int | None = None) -> PricePart:
    return PricePart(model, "page", NOW + hours * HOUR, amount, 1, cached, None)


def units(hours: float, quantity: int) -> IncludedPart:
    return IncludedPart("", "page", NOW + hours * HOUR, quantity)


def test_of_the_past_only_the_price_that_holds_is_taken_and_it_begins_now() -> None:
    found = price_versions([], [price(-9, 1), price(-2, 2), price(5, 3)], NOW)
    assert found.added == (price(0, 2), price(5, 3))
    assert not found.deleted


def test_the_same_price_that_began_later_here_is_the_same() -> None:
    assert not price_versions([price(-1, 2)], [price(-9, 1), price(-2, 2)], NOW)


def test_a_price_that_ended_there_ends_here_and_one_that_never_was_is_not_ended() -> None:
    assert price_versions([price(-9, 1)], [price(-9, 1), price(-1, None)], NOW).added == (price(0, None),)
    assert price_versions([price(-9, 1)], [], NOW).added == (price(0, None),)
    assert not price_versions([], [price(-1, None)], NOW)


def test_planned_versions_are_as_they_are_there() -> None:
    found = price_versions([price(1, 5), price(2, 6)], [price(1, 5), price(3, 6)], NOW)
    assert (found.deleted, found.added) == ((price(2, 6),), (price(3, 6),))
    assert included_versions([units(-1, 5)], [units(-1, 5), units(4, 9)], NOW).added == (units(4, 9),)


def test_only_the_figures_that_are_charged_count() -> None:
    assert not price_versions([price(-1, None, cached=3)], [price(-1, None, cached=4)], NOW)
    assert price_versions([price(-1, 2, cached=3)], [price(-1, 2, cached=4)], NOW)


_versions = st.lists(
    st.builds(price, st.integers(-5, 5), st.none() | st.integers(0, 3), st.sampled_from(["", "ocr"])),
    unique_by=lambda version: (version.model, version.valid_from),
    max_size=8,
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(_versions, _versions)
def test_afterwards_the_same_holds_here_and_there_from_now_on(here: list[PricePart], there: list[PricePart]) -> None:
    found = price_versions(here, there, NOW)
    assert all(version.valid_from > NOW for version in found.deleted)
    assert all(version.valid_from >= NOW for version in found.added)
    kept = [version for version in here if version not in found.deleted]
    # One that begins this very moment here is followed by the added one, in the order of the database's clock.
    after = [*kept, *(msgspec.structs.replace(v, valid_from=v.valid_from + timedelta(seconds=1)) for v in found.added)]
    for hours in range(6):
        for model in ("", "ocr"):
            moment = NOW + hours * HOUR + timedelta(minutes=1)
            assert holding(after, model, moment) == holding(there, model, moment)


def holding(versions: list[PricePart], model: str, moment: datetime) -> int | None:
    begun = [version for version in versions if version.model == model and version.valid_from <= moment]
    return max(begun, key=lambda version: version.valid_from).amount_micros if begun else None


@pytest.mark.parametrize("sold", [True, False])
@pytest.mark.parametrize("replicated", [True, False])
def test_a_fee_is_refused_only_where_it_was_sold(sold: bool, replicated: bool) -> None:
    wanted = plan_part(monthly_fee_micros=5)
    here = PlanHere(msgspec.structs.replace(wanted, monthly_fee_micros=6), sold=sold, replicated=replicated)
    assert bool(plan_refusal(here, wanted, NOW)) is sold
    assert plan_refusal(None, wanted, NOW) == ""


def test_prices_contradict_each_other_only_in_a_plan_that_was_made_here() -> None:
    wanted = plan_part(prices=[price(-1, 5)])
    own = msgspec.structs.replace(wanted, prices=[price(-1, 6)])
    assert "prices differ: 'all models per page'" in plan_refusal(PlanHere(own, True, False), wanted, NOW)
    assert plan_refusal(PlanHere(own, True, True), wanted, NOW) == ""
    assert plan_refusal(PlanHere(wanted, True, False), wanted, NOW) == ""
