"""Tests of which errors of the real database a worker retries, and at which it gives up at once."""

import pytest
from django.db import OperationalError, connections, transaction

from jobs.worker import database_outage as patience
from jobs.worker.database_outage import while_database_is_away
from tenants.core.db.unit_of_work import APP


def _tries(code: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how often a transaction is tried that meets this error each time, if its caller allows three tries."""
    monkeypatch.setattr(patience, "FIRST_PAUSE_S", 0.01)
    tried: list[str] = []

    def do() -> None:
        tried.append(code)
        with transaction.atomic(using=APP), connections[APP].cursor() as cursor:
            cursor.execute(f"DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{code}'; END $$")

    with pytest.raises(OperationalError):
        while_database_is_away(do, keep_trying=lambda: len(tried) < 3)
    return len(tried)


@pytest.mark.parametrize("code", ["08006", "40P01", "40001", "53100", "53300", "55P03", "57P01", "25P03"])
def test_what_may_pass_is_tried_again(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _tries(code, monkeypatch) == 3


@pytest.mark.parametrize("code", ["54000", "54001", "57014", "55000"])
def test_what_will_be_the_same_tomorrow_is_not(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _tries(code, monkeypatch) == 1
