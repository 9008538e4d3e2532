"""Test the order of pools for a piece of work, and the names of queues."""

import pytest

from inference.registry.references import public_key, read_engine_key
from inference.tiers.routes import PoolFacts, Tiers, pool_of_queue, queue_key, version_of_queue

GOLD = 1
TIERS = Tiers(
    {GOLD: {"interactive": ("gold", None, "spot"), "standard": ("gold",), "bulk": ("spot", None)}},
    {"gold": PoolFacts("gold", "reserved"), "spot": PoolFacts("spot", "spot")},
)


@pytest.mark.parametrize("tier", [None, 2], ids=["no tier", "a tier without pools"])
@pytest.mark.parametrize("priority", ["interactive", "standard", "bulk"])
def test_without_pools_of_a_tier_the_models_own_pool_serves(tier: int | None, priority: str) -> None:
    assert TIERS.route(tier, priority, "own") == ("own",)


def test_an_empty_list_of_a_priority_is_the_models_own_pool() -> None:
    tiers = Tiers({GOLD: {"standard": ("gold",)}}, TIERS.pools)
    assert tiers.route(GOLD, "bulk", "own") == ("own",)


def test_each_priority_has_its_home_and_its_overflow_in_their_order() -> None:
    assert TIERS.route(GOLD, "standard", "own") == ("gold",)
    assert TIERS.route(GOLD, "bulk", "own") == ("spot", "own")


def test_interactive_work_is_never_put_on_spot_machines_even_if_a_pool_became_one_later() -> None:
    assert TIERS.route(GOLD, "interactive", "own") == ("gold", "own")
    only_spot = Tiers({GOLD: {"interactive": ("spot",)}}, TIERS.pools)
    assert only_spot.route(GOLD, "interactive", "own") == ("own",)


def test_a_pool_that_is_the_models_own_is_named_once() -> None:
    assert TIERS.route(GOLD, "interactive", "gold") == ("gold",)
    assert TIERS.route(GOLD, "bulk", "spot") == ("spot",)


def test_only_outside_of_the_models_own_pool_a_queue_is_named_after_its_pool() -> None:
    assert queue_key("ocr@3", "own", "own") == "ocr@3"
    assert queue_key("ocr@3", "gold", "own") == "ocr@3~gold"
    assert version_of_queue("ocr@3~gold") == version_of_queue("ocr@3") == "ocr@3"
    assert (pool_of_queue("ocr@3~gold"), pool_of_queue("ocr@3")) == ("gold", None)


def test_a_queue_of_a_pool_names_the_same_version() -> None:
    own = "ocr.0123456789abcdef0123456789abcdef@3"
    assert read_engine_key(f"{own}~gold") == read_engine_key(own) is not None
    assert public_key(f"{own}~gold") == "ocr@3"
    assert read_engine_key("ocr@3~") is None
