"""Tests of what happens to batches without a request."""

from dataclasses import replace

from django.db import connections
from pytest_django import Settings

from jobs.batches.ids import BATCH, shown
from jobs.batches.models import Batch, BatchTask
from jobs.batches.services import cancel_batch
from jobs.batches.upkeep import forget_batches_of_tests
from tenants.core.db.unit_of_work import OPERATOR, operator_work

from .desk import BatchDesk


def made_days_ago(batch: Batch, days: int) -> None:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(
            "UPDATE jobs_batch SET created_at = created_at - make_interval(days => %s) WHERE id = %s",
            [days, batch.id],
        )


def test_batches_of_tests_that_ended_go_with_all_else_of_theirs(desk: BatchDesk, settings: Settings) -> None:
    settings.MAAS_KEEP_TEST_DAYS = 2
    tests = BatchDesk(replace(desk.identity, livemode=False), desk.version)
    old, young, live, unfinished = tests.batch(), tests.batch(), desk.batch(), tests.batch()
    for one, days in ((old, 3), (young, 1), (live, 300), (unfinished, 3)):
        made_days_ago(one, days)
    for desk_of, one in ((tests, old), (tests, young), (desk, live)):
        cancel_batch(identity=desk_of.identity, batch_id=shown(BATCH, one.id))
    assert forget_batches_of_tests() == 1
    with operator_work():
        left = set(Batch.objects.values_list("id", flat=True))
        assert not BatchTask.objects.filter(batch_id=old.id).exists()
    assert left == {young.id, live.id, unfinished.id}
    settings.MAAS_KEEP_TEST_DAYS = 0
    assert forget_batches_of_tests() == 0
