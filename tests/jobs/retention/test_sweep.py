from dataclasses import replace
from uuid import UUID

import pytest

from jobs.core.models import Document, Job
from jobs.retention.due import due
from jobs.retention.sweep import erase_overdue
from tenants.accounts.models import Tenant
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.plans.retention import Retention, retention_of_all
from tests.jobs.conftest import Desk


def keep(desk: Desk, **days: int) -> None:
    with operator_work():
        Tenant.objects.filter(id=desk.identity.tenant_id).update(**{f"keep_{what}_days": n for what, n in days.items()})


def ended_days_ago(desk: Desk, days: int, document: Document | None = None) -> Job:
    job = desk.submit_document(document or desk.document(1))
    desk.finish(desk.pages(job)[0])
    desk.rewrite("jobs_job", f"UPDATE jobs_job SET finished_at = now() - interval '{days} days' WHERE id = %s", job.id)
    return job


def used_days_ago(desk: Desk, document: Document, days: float) -> None:
    desk.sql(f"UPDATE jobs_document SET used_at = now() - interval '{days} days' WHERE id = %s", document.id)


def document_of(desk: Desk, document_id: UUID) -> Document:
    with unit_of_work(desk.identity.tenant_id):
        return Document.objects.get(id=document_id)


def test_a_job_is_erased_so_many_days_after_its_end(desk: Desk) -> None:
    keep(desk, results=30)
    old, young = ended_days_ago(desk, 31), ended_days_ago(desk, 29)
    erase_overdue()
    assert (desk.again(old).erased_reason, desk.again(young).erased) == ("retention", False)
    document = document_of(desk, old.document_id)  # type: ignore[arg-type]  # it has one
    assert document.deleted_at is None


def test_nothing_is_erased_where_nobody_said_so(desk: Desk) -> None:
    job = ended_days_ago(desk, 4000)
    used_days_ago(desk, job.document, 4000)  # type: ignore[arg-type]  # it has one
    erase_overdue()
    assert not desk.again(job).erased
    assert document_of(desk, job.document_id).deleted_at is None  # type: ignore[arg-type]


def test_what_a_test_key_made_goes_sooner(desk: Desk) -> None:
    test = Desk(replace(desk.identity, livemode=False), desk.version)
    job, charged = ended_days_ago(test, 8), ended_days_ago(desk, 8)
    erase_overdue()
    assert (desk.again(job).erased, desk.again(charged).erased) == (True, False)


def test_a_document_is_erased_so_many_days_after_its_last_use_and_its_results_stay(desk: Desk) -> None:
    keep(desk, documents=10)
    old, young = ended_days_ago(desk, 0), ended_days_ago(desk, 0)
    used_days_ago(desk, old.document, 10.05)  # type: ignore[arg-type]
    used_days_ago(desk, young.document, 10.01)  # type: ignore[arg-type]
    erase_overdue()
    gone = document_of(desk, old.document_id)  # type: ignore[arg-type]
    assert (gone.deleted_reason, gone.name) == ("retention", "a.pdf")
    assert document_of(desk, young.document_id).deleted_at is None  # type: ignore[arg-type]
    assert not desk.again(old).erased


def test_a_document_at_work_is_kept_until_that_has_ended(desk: Desk) -> None:
    keep(desk, documents=10)
    document = desk.document(1)
    job = desk.submit_document(document)
    used_days_ago(desk, document, 11)
    erase_overdue()
    assert document_of(desk, document.id).deleted_at is None
    desk.finish(desk.pages(job)[0])
    erase_overdue()
    assert document_of(desk, document.id).deleted_reason == "retention"


def test_to_be_given_to_a_job_is_a_use(desk: Desk) -> None:
    keep(desk, documents=10)
    document = desk.document(1)
    used_days_ago(desk, document, 11)
    job = desk.submit_document(document)
    desk.finish(desk.pages(job)[0])
    erase_overdue()
    assert document_of(desk, document.id).deleted_at is None


def test_all_tenants_have_their_first_before_one_has_its_second(desk: Desk, other_identity: object) -> None:
    other = Desk(other_identity, desk.version)  # type: ignore[arg-type]
    for one in (desk, other):
        keep(one, results=1)
    flood = [ended_days_ago(desk, 50 - n) for n in range(5)]
    single = ended_days_ago(other, 2)
    with operator_work():
        retention = retention_of_all([desk.identity.tenant_id, other.identity.tenant_id])
        found = [one.id for one in due("job", retention)]
    assert found == [flood[0].id, single.id, *(job.id for job in flood[1:])]


def test_days_of_ones_own_come_before_the_installations(desk: Desk, settings: object) -> None:
    settings.MAAS_KEEP_RESULTS_DAYS = 5  # type: ignore[attr-defined]
    with operator_work():
        before = retention_of_all([desk.identity.tenant_id])
        keep(desk, results=0)
        after = retention_of_all([desk.identity.tenant_id])
    (its,) = before.values()
    assert (its.results(livemode=True), its.results(livemode=False)) == (5, 5)
    (its,) = after.values()
    assert (its.results(livemode=True), its.results(livemode=False)) == (0, 7)


@pytest.mark.parametrize(("days", "test_days", "kept"), [(0, 7, 7), (30, 7, 7), (3, 7, 3), (30, 0, 30), (0, 0, 0)])
def test_a_test_is_kept_for_the_fewer_days(days: int, test_days: int, kept: int) -> None:
    assert Retention(days, days, 0, test_days).results(livemode=False) == kept
    assert Retention(days, days, 0, test_days).documents(livemode=True) == days
