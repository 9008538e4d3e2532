from hypothesis import given
from hypothesis import strategies as st

from inference.batching.fair_order import REMEMBERED, FairOrder


def test_one_tenant_is_served_in_order_of_arrival() -> None:
    order = FairOrder()
    places = [order.enter("only", cost) for cost in (1.0, 0.0, 5.0, 2.0)]
    assert places == sorted(places)
    assert len(set(places)) == len(places)


def test_a_single_piece_goes_before_the_rest_of_a_flood() -> None:
    order = FairOrder()
    flood = [order.enter("flood", 1.0) for _ in range(1000)]
    order.serve(flood[0])
    order.leave("flood", 1.0, run=True)
    assert order.enter("single", 1.0) < flood[1]


def test_dear_pieces_take_turns_by_their_cost() -> None:
    order = FairOrder()
    dear = [order.enter("dear", 10.0) for _ in range(3)]
    cheap = [order.enter("cheap", 1.0) for _ in range(30)]
    assert [sum(place < before for place in cheap) for before in dear] == [0, 10, 20]


def test_nobody_saves_up_turns_by_staying_away() -> None:
    order = FairOrder()
    for _ in range(100):
        place = order.enter("busy", 1.0)
        order.serve(place)
        order.leave("busy", 1.0, run=True)
    late = [order.enter("late", 1.0) for _ in range(3)]
    assert order.enter("busy", 1.0) < late[2]


def test_pieces_that_were_withdrawn_cost_their_tenant_no_turn() -> None:
    order = FairOrder()
    order.enter("other", 1.0)
    for _ in range(1000):
        order.enter("changed mind", 1.0)
    for _ in range(1000):
        order.leave("changed mind", 1.0, run=False)
    assert order.enter("changed mind", 1.0) == 0.0


def test_tenants_who_have_gone_are_forgotten() -> None:
    order = FairOrder()
    for number in range(20 * REMEMBERED):
        order.enter(f"tenant {number}", 1.0)
        order.leave(f"tenant {number}", 1.0, run=True)
    assert len(order) <= 2 * REMEMBERED + 1


def test_after_a_rest_nobody_owes_anything() -> None:
    order = FairOrder()
    order.serve(order.enter("early", 5.0))
    order.leave("early", 5.0, run=True)
    order.rest()
    assert order.enter("early", 1.0) == order.enter("new", 1.0)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0.1, 10)), min_size=1, max_size=100))
def test_backlogged_tenants_never_differ_by_more_than_their_dearest_pieces(
    pieces: list[tuple[str, float]],
) -> None:
    """This is the bound of start-time fair queueing for two tenants while both have work waiting."""
    order = FairOrder()
    queue = sorted((order.enter(tenant, cost), number, tenant, cost) for number, (tenant, cost) in enumerate(pieces))
    dearest = {tenant: max(cost for other, cost in pieces if other == tenant) for tenant, _ in pieces}
    served = dict.fromkeys(dearest, 0.0)
    left = {tenant: sum(1 for other, _ in pieces if other == tenant) for tenant in dearest}
    for _, _, tenant, cost in queue:
        busy = [name for name in left if left[name]]
        spread = max(served[name] for name in busy) - min(served[name] for name in busy)
        assert spread <= sum(sorted((dearest[name] for name in busy), reverse=True)[:2]) + 1e-6
        served[tenant] += cost
        left[tenant] -= 1
