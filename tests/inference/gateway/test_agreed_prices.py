"""Test that synchronous calls and cache hits cost the prices that the caller's tenant has agreed to."""

from uuid import uuid4

from tenants.identity.identity import Identity
from tenants.plans.agreed import AgreedPrice, AgreedPrices
from tenants.plans.prices import Price
from tests.inference.gateway.house import House
from tests.inference.gateway.test_known_results import run, until_word


def agreed(identity: Identity, micros: int, cached: int) -> Identity:
    ran, known = (Price("token", amount, 1, "USD") for amount in (micros, cached))
    held = AgreedPrices({("plan", "", "token"): AgreedPrice(ran, known, of="plan", version=uuid4())})
    return Identity(identity.tenant_id, identity.limits, identity.scopes, prices=held)


def test_whoever_calls_pays_their_own_price_over_each_protocol(
    identity: Identity, other_identity: Identity, model: str, cache_url: str
) -> None:
    mine = agreed(identity, 7, 3)

    async def scenario(house: House) -> None:
        first = await house.embed(mine, model, "four")
        assert first.bill == [("call", 4, 7)]
        assert first.uses[0].price.currency == "USD"
        known = await until_word(lambda: house.embed(mine, model, "four"), "HIT")
        assert known.bill == [("cache", 4, 3)]
        assert (await house.infer(mine, model, ["seven"])).bill == [("call", 5, 7)]
        assert (await house.embed(other_identity, model, "four")).bill == [("call", 4, 10)]

    run(scenario, cache_url)
