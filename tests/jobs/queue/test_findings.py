"""Test that a job is searched for own fields and classes before its end locks it, and ends with what is true then."""

from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.db import connections, transaction

from inference.core.contracts import WorkOutput
from inference.registry.models import ModelVersion
from jobs.core import states
from jobs.core.errors import LeaseLost
from jobs.core.models import Job
from jobs.own_fields.applying import apply_fields
from jobs.own_fields.services import change_field
from jobs.queue import findings
from jobs.queue.findings import MAX_TRIES, FindingsOutdated
from jobs.queue.settlement import Failure, fail_page, finish_page
from jobs.queue.sweeper import end_used_up_pages, sweep_expired_leases
from jobs.results.corrections.services import correct_class
from jobs.submission.cancellations import cancel_job
from tenants.billing.usage.models import UsageRecord
from tenants.core.db.unit_of_work import OPERATOR, unit_of_work
from tenants.identity.identity import Identity
from tests.jobs.own_fields.conftest import ContractDesk, listed, own, page
from tests.jobs.queue.conftest import at_once, elsewhere

BROKEN = Failure("model_failed", "It broke.")
Search = Callable[..., Any]


@pytest.fixture
def desk(identity: Identity, version: ModelVersion) -> ContractDesk:
    return ContractDesk(identity, version)


@pytest.fixture
def contract(desk: ContractDesk) -> Job:
    """Make a job of two pages whose tenant has own fields. Its first page has been read."""
    desk.field(desk.contract("AB-1234"), labels=["Contract number"], place="column")
    return half_read(desk)


def half_read(desk: ContractDesk) -> Job:
    job = desk.submit_document(desk.document(2))
    desk.answer(job, 1, listed("AA-1111"))
    return job


def found(desk: ContractDesk, job: Job) -> list[str]:
    return [field["value"] for field in own(desk.again(job))]


def before_each_search(monkeypatch: pytest.MonkeyPatch, do: Callable[[], object], times: int = 1) -> list[None]:
    """Do something else at the beginning of the first searches. Return a list that grows with each search."""
    search, searches = findings.find, list[None]()

    def searched(*values: Any) -> Any:
        searches.append(None)
        found = search(*values)
        if len(searches) <= times:
            do()
        return found

    monkeypatch.setattr(findings, "find", searched)
    return searches


def test_a_job_is_not_locked_while_it_is_searched(
    desk: ContractDesk, contract: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lock() -> None:
        with transaction.atomic(using=OPERATOR), connections[OPERATOR].cursor() as cursor:
            cursor.execute("SELECT FROM jobs_job WHERE id = %s FOR UPDATE NOWAIT", [contract.id])

    searches = before_each_search(monkeypatch, lambda: elsewhere(lock))
    desk.answer(contract, 2, listed("BB-2222"))
    assert len(searches) == 1
    assert found(desk, contract) == ["AA-1111", "BB-2222"]


def test_only_the_end_of_a_job_is_searched_and_only_with_own_fields_or_a_class_set(
    desk: ContractDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    searches = before_each_search(monkeypatch, lambda: None)
    example = desk.contract("AB-1234", page("none"))
    assert not searches
    desk.field(example)
    half_read(desk)
    assert not searches


def test_two_workers_that_finish_the_last_pages_at_once_miss_nothing(desk: ContractDesk) -> None:
    desk.field(desk.contract("AB-1234"), labels=["Contract number"], place="column")
    for _ in range(5):
        job = desk.submit_document(desk.document(2))
        claims = [desk.claimed(row) for row in desk.pages(job)]
        outputs = [WorkOutput(listed("AA-1111")), WorkOutput(listed("BB-2222"))]
        at_once(2, lambda number, claims=claims, outputs=outputs: finish_page(claims[number], outputs[number]))  # type: ignore[misc]
        assert desk.again(job).state == states.SUCCEEDED
        assert found(desk, job) == ["AA-1111", "BB-2222"]


def test_what_is_found_is_what_the_stored_pages_have(desk: ContractDesk, contract: Job, identity: Identity) -> None:
    desk.answer(contract, 2, listed("BB-2222"))
    assert apply_fields(identity=identity).changed == 0
    assert found(desk, contract) == ["AA-1111", "BB-2222"]


def test_a_definition_that_changes_during_the_search_counts(
    desk: ContractDesk, contract: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    def change() -> None:
        change_field(identity=desk.identity, name="contract_number", classes=["letter"])

    searches = before_each_search(monkeypatch, lambda: elsewhere(change))
    desk.answer(contract, 2, listed("BB-2222"))
    assert (len(searches), found(desk, contract)) == (1, [])


def test_a_class_that_is_corrected_during_the_search_counts(
    desk: ContractDesk, contract: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_field(identity=desk.identity, name="contract_number", classes=["letter"])

    def correct() -> None:
        correct_class(identity=desk.identity, job_id=contract.id, number=0, label="letter")

    searches = before_each_search(monkeypatch, lambda: elsewhere(correct))
    desk.answer(contract, 2, listed("BB-2222"))
    assert (len(searches), found(desk, contract)) == (2, ["AA-1111", "BB-2222"])


def test_definitions_that_never_stop_to_change_do_not_hold_a_worker_for_ever(
    desk: ContractDesk, contract: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels = iter(["Number", "Agreement", "Contract", "No", "Nr", "Numero", "Numéro"])

    def change() -> None:
        change_field(identity=desk.identity, name="contract_number", labels=["Contract number", next(labels)])

    searches = before_each_search(monkeypatch, lambda: elsewhere(change), times=MAX_TRIES)
    with pytest.raises(FindingsOutdated):
        desk.answer(contract, 2, listed("BB-2222"))
    assert len(searches) == MAX_TRIES
    assert (desk.pages(contract)[1].state, desk.again(contract).pages_succeeded) == (states.RUNNING, 1)


def test_a_job_that_is_canceled_during_the_search_stays_canceled(
    desk: ContractDesk, contract: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cancel() -> None:
        cancel_job(identity=desk.identity, job_id=contract.id)

    before_each_search(monkeypatch, lambda: elsewhere(cancel))
    with pytest.raises(LeaseLost):
        desk.answer(contract, 2, listed("BB-2222"))
    assert (desk.again(contract).state, desk.again(contract).pages_succeeded) == (states.CANCELED, 1)
    with unit_of_work(desk.identity.tenant_id):
        assert not UsageRecord.objects.filter(source_id=desk.pages(contract)[1].id).exists()


def test_a_worker_that_dies_during_the_search_leaves_nothing_behind(
    desk: ContractDesk, contract: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die() -> None:
        raise KeyboardInterrupt

    before_each_search(monkeypatch, die)
    last = desk.pages(contract)[1]
    with pytest.raises(KeyboardInterrupt):
        desk.answer(contract, 2, listed("BB-2222"))
    with unit_of_work(desk.identity.tenant_id):
        assert not UsageRecord.objects.filter(source_id=last.id).exists()
    desk.expire_lease(last)
    sweep_expired_leases()
    desk.answer(contract, 2, listed("BB-2222"))
    assert found(desk, contract) == ["AA-1111", "BB-2222"]


def test_a_page_that_fails_at_last_ends_the_job_with_what_the_others_have(desk: ContractDesk, contract: Job) -> None:
    fail_page(desk.claimed(desk.pages(contract)[1]), BROKEN, may_retry=False)
    assert desk.again(contract).state == states.PARTIALLY_SUCCEEDED
    assert found(desk, contract) == ["AA-1111"]


def test_a_job_without_a_page_that_was_read_is_not_searched(
    desk: ContractDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.field(desk.contract("AB-1234"))
    searches = before_each_search(monkeypatch, lambda: None)
    job = desk.submit()
    fail_page(desk.claimed(desk.pages(job)[0]), BROKEN, may_retry=False)
    assert (len(searches), desk.again(job).state) == (0, states.FAILED)


def test_a_page_that_kills_its_workers_ends_the_job_with_what_the_others_have(
    desk: ContractDesk, contract: Job
) -> None:
    last = desk.pages(contract)[1]
    for _ in range(settings.MAAS_MAX_ATTEMPTS):
        desk.claimed(last)
        desk.expire_lease(last)
        sweep_expired_leases()
    assert desk.again(contract).state == states.PARTIALLY_SUCCEEDED
    assert found(desk, contract) == ["AA-1111"]


def test_a_page_without_a_try_left_ends_the_job_with_what_the_others_have(
    desk: ContractDesk, contract: Job, settings: Any
) -> None:
    last = desk.pages(contract)[1]
    desk.claimed(last)
    desk.expire_lease(last)
    sweep_expired_leases()
    settings.MAAS_MAX_ATTEMPTS = 1
    # Pages of other tests may wait too.
    assert end_used_up_pages() >= 1
    assert found(desk, contract) == ["AA-1111"]
