"""Test the choice of pools for pages whose messages were lost."""

from dataclasses import replace
from uuid import uuid4

from inference.tiers.binding import PoolNow
from jobs.queue.lost_in_tiers import LostPage, pools_of

HOME = PoolNow("home", workers=1, slots=2, loaded=True, service_s=1.0)
OVERFLOW = replace(HOME, name="overflow")
POOLS = {"home": HOME, "overflow": OVERFLOW}


def lost(pool: str | None, *route: str) -> LostPage:
    return LostPage(uuid4(), uuid4(), route or ("home", "overflow"), pool, cap=None)


def test_a_page_stays_in_its_pool_while_pages_go_there() -> None:
    pages = [lost("overflow"), lost("home"), lost("overflow"), lost("home")]
    assert list(pools_of(pages, POOLS).values()).count("home") == 2
    assert all(pools_of(pages, POOLS)[page.id] == page.pool for page in pages)


def test_a_pool_without_workers_loses_its_pages() -> None:
    pages = [lost("home"), lost("overflow"), lost(None), lost("former")]
    assert set(pools_of(pages, POOLS | {"home": replace(HOME, workers=0)}).values()) == {"overflow"}


def test_each_page_goes_to_a_pool_of_its_own_route() -> None:
    pages = [lost(was, route) for was, route in (("home", "overflow"), ("overflow", "home")) for _ in range(3)]
    found = pools_of(pages, POOLS)
    assert [found[page.id] for page in pages] == ["overflow"] * 3 + ["home"] * 3
