"""Test that replicas that were ordered are counted on until they are there, or late beyond hope."""

from inference.scaling.orders import Orders


def test_an_order_is_due_after_the_lead_time() -> None:
    orders = Orders()
    assert orders.due_in(3, 1, at_s=0.0, lead_s=100.0) == (100.0, 100.0)
    assert orders.due_in(4, 1, at_s=40.0, lead_s=100.0) == (60.0, 60.0, 100.0)


def test_the_oldest_orders_arrive_first() -> None:
    orders = Orders()
    orders.due_in(3, 1, at_s=0.0, lead_s=100.0)
    orders.due_in(4, 1, at_s=40.0, lead_s=100.0)
    assert orders.due_in(4, 2, at_s=100.0, lead_s=100.0) == (0.0, 40.0)
    assert orders.due_in(4, 4, at_s=110.0, lead_s=100.0) == ()


def test_what_never_comes_is_not_counted_on() -> None:
    orders = Orders()
    orders.due_in(2, 1, at_s=0.0, lead_s=100.0)
    assert orders.due_in(2, 1, at_s=299.0, lead_s=100.0) == (0.0,)
    assert orders.due_in(2, 1, at_s=301.0, lead_s=100.0) == ()


def test_a_withdrawn_order_is_forgotten() -> None:
    orders = Orders()
    orders.due_in(5, 1, at_s=0.0, lead_s=100.0)
    assert orders.due_in(1, 1, at_s=10.0, lead_s=100.0) == ()
    assert orders.due_in(2, 1, at_s=20.0, lead_s=100.0) == (100.0,)
