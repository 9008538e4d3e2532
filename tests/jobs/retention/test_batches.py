"""Tests that the metadata and errors of a batch go with its account's results, and that the batch stays."""

from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connections
from pytest_django import Settings

from inference.registry.models import ModelVersion
from jobs.batches import states
from jobs.batches.models import Batch
from jobs.retention.batches import forget_words_of_batches
from jobs.retention.preview import overdue
from tenants.accounts.models import Tenant
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.identity.identity import Identity
from tests.jobs.batches.desk import BatchDesk, no_batches


@pytest.fixture
def desk(identity: Identity, version: ModelVersion) -> BatchDesk:
    no_batches()
    return BatchDesk(identity, version)


def keep_results(desk: BatchDesk, days: int) -> None:
    with operator_work():
        Tenant.objects.filter(id=desk.identity.tenant_id).update(keep_results_days=days)


def failed_days_ago(desk: BatchDesk, days: int) -> Batch:
    batch = desk.batch()
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(
            "UPDATE jobs_batch SET metadata = %s, errors = %s, status = %s,"
            " finished_at = now() - make_interval(days => %s) WHERE id = %s",
            [
                '{"patient": "Ada"}',
                '{"data": [{"message": "line 2 is no call"}]}',
                states.FAILED,
                days,
                batch.id,
            ],
        )
    return batch


def test_the_words_of_a_batch_go_with_the_results_of_its_account(desk: BatchDesk) -> None:
    keep_results(desk, 30)
    old, young = failed_days_ago(desk, 31), failed_days_ago(desk, 29)
    (told,) = overdue(desk.identity.tenant_id)
    assert (told.what, told.number) == ("batches", 1)
    assert forget_words_of_batches() == 1
    assert forget_words_of_batches() == 0
    assert not list(overdue(desk.identity.tenant_id))
    left, kept = desk.again(old), desk.again(young)
    assert (left.metadata, left.errors, left.status) == (None, None, states.FAILED)
    assert kept.metadata == {"patient": "Ada"}
    assert kept.errors


def test_nothing_of_a_batch_goes_that_has_not_ended_or_where_nobody_said_so(desk: BatchDesk) -> None:
    ended = failed_days_ago(desk, 4000)
    assert forget_words_of_batches() == 0
    keep_results(desk, 30)
    with operator_work():
        Batch.objects.filter(id=ended.id).update(status=states.FINALIZING, finished_at=None)
    assert forget_words_of_batches() == 0
    assert desk.again(ended).metadata == {"patient": "Ada"}


def test_the_words_of_a_tests_batch_go_sooner(desk: BatchDesk, settings: Settings) -> None:
    settings.MAAS_KEEP_TEST_DAYS = 2
    test, charged = BatchDesk(replace(desk.identity, livemode=False), desk.version), desk
    of_test, live = failed_days_ago(test, 3), failed_days_ago(charged, 3)
    assert forget_words_of_batches() == 1
    assert (test.again(of_test).metadata, desk.again(live).metadata) == (None, {"patient": "Ada"})


def test_the_command_forgets_them_too(desk: BatchDesk) -> None:
    keep_results(desk, 30)
    old, said = failed_days_ago(desk, 31), StringIO()
    call_command("retention", stdout=said)
    assert "the metadata and errors of 1 batches" in said.getvalue()
    assert desk.again(old).metadata is None
