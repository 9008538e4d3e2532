from django.db import connections, transaction

from jobs.events.horizon import HORIZON_AGE, Horizon, notify_horizon
from tenants.core.db.unit_of_work import OPERATOR
from tests.waiting import eventually


def test_it_ages_while_the_same_transaction_is_the_oldest() -> None:
    horizon = Horizon()
    assert [horizon.age_s(7, 9, now_s) for now_s in (100.0, 105.0, 110.0)] == [0.0, 5.0, 10.0]
    assert horizon.age_s(8, 12, 115.0) == 0.0


def test_where_nothing_runs_nothing_is_held() -> None:
    horizon = Horizon()
    assert [horizon.age_s(9, 9, now_s) for now_s in (100.0, 105.0)] == [0.0, 0.0]


def test_a_transaction_that_stays_open_is_told_of() -> None:
    def told_s() -> float:
        notify_horizon()
        (told,) = HORIZON_AGE.collect()
        return told.samples[0].value

    with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
        cursor.execute("SELECT pg_current_xact_id()")
        with connections[OPERATOR].cursor() as another:
            another.execute("SELECT pg_current_xact_id()")  # It is held back.
        told_s()
        eventually(told_s, "that it holds back what happens", 20)
