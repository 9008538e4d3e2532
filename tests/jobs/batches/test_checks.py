"""Tests of how much the check of a batch's file uses of an account's test calls for the day."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from pytest_django import Settings

from jobs.batches import states
from jobs.batches.checks import check_file
from jobs.batches.models import Batch
from tenants.accounts.models import Tenant
from tenants.core.db.unit_of_work import operator_work
from tenants.limits.rates.free_day import AllowanceSpent

from .desk import EMBEDDINGS, BatchDesk, no_batches


@pytest.fixture
def tests(desk: BatchDesk, settings: Settings) -> BatchDesk:
    """Return the `desk` of the same tenant's test key, which may make ten calls a day."""
    settings.MAAS_TEST_CALLS_A_DAY = 10
    return BatchDesk(replace(desk.identity, livemode=False), desk.version)


def checked(desk: BatchDesk, content: bytes) -> Batch:
    no_batches()
    batch = desk.batch(content)
    check_file(desk.claimed(batch))
    return desk.again(batch)


def test_lines_of_a_tests_batch_are_counted_before_any_is_run(tests: BatchDesk) -> None:
    assert checked(tests, tests.lines(6)).status == states.IN_PROGRESS
    refused = checked(tests, tests.lines(5))
    assert refused.status == states.FAILED
    assert [fault["code"] for fault in refused.errors or []] == ["test_allowance_spent"]
    assert checked(tests, tests.lines(4)).status == states.IN_PROGRESS


def test_each_text_of_a_line_counts(tests: BatchDesk) -> None:
    body = {"model": tests.version.served_model.name, "input": ["a"] * 11}
    line = {"custom_id": "1", "method": "POST", "url": EMBEDDINGS, "body": body}
    assert checked(tests, json.dumps(line).encode()).status == states.FAILED


def test_no_batch_of_tests_is_accepted_once_their_day_is_spent(tests: BatchDesk, desk: BatchDesk) -> None:
    checked(tests, tests.lines(10))
    with pytest.raises(AllowanceSpent) as refused:
        tests.batch(tests.lines(1))
    assert 0 < int(str(refused.value.extra["retry_after_s"])) <= 24 * 3600
    assert checked(desk, desk.lines(20)).status == states.IN_PROGRESS


def test_files_of_tests_live_as_long_as_all_else_of_theirs(
    tests: BatchDesk, desk: BatchDesk, settings: Settings
) -> None:
    settings.MAAS_KEEP_TEST_DAYS = 2
    for one, days in ((tests, 2), (desk, 30)):
        stored = one.file(b"{}")
        assert stored.expires_at is not None
        assert stored.expires_at - stored.created_at == timedelta(days=days)


def test_files_live_no_longer_than_documents_of_the_account(desk: BatchDesk) -> None:
    with operator_work():
        Tenant.objects.filter(id=desk.identity.tenant_id).update(keep_documents_days=3, keep_results_days=1)
    stored = desk.file(b"{}")
    assert stored.expires_at is not None
    assert stored.expires_at - stored.created_at == timedelta(days=3)
