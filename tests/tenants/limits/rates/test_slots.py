from tenants.limits.rates.asking import Heard, Verdict
from tenants.limits.rates.limits import Limit
from tenants.limits.rates.slots import Slots

LIMIT = Limit("tenant", "calls", 1_000, "t", "maas:rate:calls:tenant:t")


def test_who_comes_while_redis_is_only_told_something_is_not_taken_for_one_too_many() -> None:
    slots = Slots(LIMIT, 0.0)
    assert slots.ask(0.0).need == 0
    slots.waiting += 1  # A caller comes meanwhile.
    slots.hear(Heard(granted=0, rest=0), 0.01)
    assert slots.look(0.01) is Verdict.ASK


def test_where_others_have_all_places_nobody_asks_again_for_a_moment() -> None:
    slots = Slots(LIMIT, 0.0)
    slots.waiting += 1
    assert slots.ask(0.0).need == 1
    slots.hear(Heard(granted=0, rest=1_000), 0.01)
    assert slots.look(0.02) is Verdict.NO
    assert slots.look(1.0) is Verdict.ASK
