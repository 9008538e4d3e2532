"""Tests of the comparison of the ledger: what agrees is left out, and what differs is kept for an operator."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connections
from structlog.testing import capture_logs

from jobs.charges.reconciling import compare_jobs, correct_stored_bytes, reconcile, settle_stranded_jobs
from jobs.core.models import Document, FileToErase, Page
from jobs.documents.services import store_document
from jobs.retention.documents import delete_document
from jobs.uploads.models import ResumableUpload
from jobs.uploads.protocol import Announced
from jobs.uploads.services import create_upload, terminate_upload
from jobs.uploads.upkeep import finish_stranded_uploads
from tenants.accounts.models import Tenant
from tenants.billing.ledger.models import LedgerDifference
from tenants.billing.ledger.reconciling import compare_ledger
from tenants.core.db.unit_of_work import OPERATOR, operator_work, unit_of_work
from tenants.identity.identity import Identity
from tenants.limits.quota.capacity import MAX_LINES, AccountStorageFull, fold_stored_bytes, stored_bytes
from tenants.limits.quota.models import StoredBytes
from tenants.limits.quota.wording import MB
from tests.jobs.conftest import Desk
from tests.jobs.documents.conftest import Folder, folder
from tests.jobs.documents.test_services import upload
from tests.jobs.intake.test_storage_limit import fill
from tests.jobs.uploads.test_finishing import lapse, sent
from tests.samples.pdfs import text_pdf
from tests.tenants.billing.ledger.conftest import Purse

__all__ = ["folder"]


@pytest.fixture
def purse(desk: Desk) -> Purse:
    purse = Purse(desk.identity.tenant_id)
    purse.prepaid(10_000)
    return purse


def differing(purse: Purse) -> set[str]:
    found = [*compare_ledger(), *compare_jobs()]
    return {one.compared for one in found if one.tenant_id == purse.tenant_id}


def sql(statement: str, purse: Purse) -> None:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(statement, [purse.tenant_id])


def test_work_under_way_and_done_is_in_order(desk: Desk, purse: Purse) -> None:
    job = desk.submit(pages=2)
    assert differing(purse) == set()
    for page in desk.pages(job):
        desk.finish(page)
    desk.submit()
    assert differing(purse) == set()


@pytest.mark.parametrize(
    ("compared", "statement"),
    [
        (
            "available",
            "UPDATE tenants_wallet SET available_micros = available_micros + 1 WHERE tenant_id = %s",
        ),
        ("held", "UPDATE tenants_wallet SET held_micros = held_micros + 1 WHERE tenant_id = %s"),
        ("job_hold", "UPDATE jobs_job SET held_micros = held_micros + 1 WHERE tenant_id = %s"),
        ("job_hold", "UPDATE jobs_job SET held_micros = NULL WHERE tenant_id = %s"),
    ],
)
def test_what_differs_is_found_and_stays_on_record(desk: Desk, purse: Purse, compared: str, statement: str) -> None:
    desk.submit()
    sql(statement, purse)
    assert differing(purse) == {compared}
    for _ in range(2):
        reconcile()
    with operator_work():
        (row,) = LedgerDifference.objects.filter(tenant_id=purse.tenant_id)
    assert (row.compared, row.resolved_at) == (compared, None)
    with pytest.raises(CommandError):
        call_command("reconcile_ledger")
    if compared in {"available", "held"}:
        sql(statement.replace("+ 1", "- 1"), purse)
        reconcile()
        with operator_work():
            row.refresh_from_db()
        assert row.resolved_at is not None


def test_a_job_that_was_ended_without_its_settlement_is_settled(desk: Desk, purse: Purse) -> None:
    """A process of a version from before the ledger ends a job in this way."""
    job = desk.submit()
    sql("UPDATE jobs_job SET state = 'failed', finished_at = now() WHERE tenant_id = %s", purse)
    settle_stranded_jobs()
    assert purse.stands() == (10_000, 0)
    assert desk.again(job).held_micros is None
    assert differing(purse) == set()


def used(identity: Identity) -> int:
    with unit_of_work(identity.tenant_id):
        return stored_bytes(identity.tenant_id)


def store(identity: Identity, path: Path, content: bytes) -> Document:
    path.mkdir(exist_ok=True)
    return store_document(identity=identity, upload=upload(path, content)).document


def test_a_document_counts_from_its_storing_to_its_erasure(identity: Identity, tmp_path: Path) -> None:
    content = text_pdf("counted")
    document = store(identity, tmp_path, content)
    assert used(identity) == len(content)
    store(identity, tmp_path, content)
    assert used(identity) == len(content), "the same bytes are one document"
    delete_document(identity=identity, document_id=document.id)
    assert used(identity) == 0


def test_an_upload_counts_all_that_it_announces_and_then_as_its_document(
    identity: Identity, desk: Desk, folder: Folder, tmp_path: Path
) -> None:
    given_up = create_upload(identity=identity, announced=Announced("a.pdf", "", 5_000))
    assert used(identity) == 5_000
    terminate_upload(identity=identity, upload_id=given_up.id)
    assert used(identity) == 0
    content = text_pdf("in pieces")
    fill(identity.tenant_id, left_bytes=len(content))
    turn = sent(identity, tmp_path, content)
    assert used(identity) == MB
    lapse(desk, turn.upload_id)
    finish_stranded_uploads()
    with unit_of_work(identity.tenant_id):
        assert ResumableUpload.objects.get(id=turn.upload_id).state == "ready"
    assert used(identity) == MB


def test_results_count_until_they_are_erased(desk: Desk) -> None:
    job = desk.submit()
    assert used(desk.identity) == 0
    desk.finish(desk.pages(job)[0])
    first = used(desk.identity)
    assert first > 0
    other = desk.submit()
    with unit_of_work(desk.identity.tenant_id):
        Page.objects.filter(job_id=other.id).update(result={"text": "many words " * 20_000})
    desk.sql("UPDATE jobs_page SET attempt = 2 WHERE job_id = %s", other.id)
    assert desk.identity.tenant_id not in correct_stored_bytes()
    assert used(desk.identity) > first
    desk.sql("UPDATE jobs_page SET result = NULL WHERE job_id = %s", other.id)
    assert used(desk.identity) == first


def test_what_does_not_fit_is_refused_before_a_byte_is_kept(identity: Identity, folder: Folder, tmp_path: Path) -> None:
    content = text_pdf("too much")
    fill(identity.tenant_id, left_bytes=len(content) - 1)
    with pytest.raises(AccountStorageFull) as refused:
        store(identity, tmp_path, content)
    assert f"this needs {len(content):,} more" in refused.value.detail
    assert refused.value.extra["limit"] == {"scope": "tenant", "name": "storage", "amount": MB}
    with pytest.raises(AccountStorageFull):
        create_upload(identity=identity, announced=Announced("a.pdf", "", len(content)))
    with unit_of_work(identity.tenant_id):
        assert Document.objects.count() == 1
        assert not FileToErase.objects.exists()
        assert not ResumableUpload.objects.exists()
    assert used(identity) == MB - len(content) + 1


def test_what_is_deleted_makes_room(identity: Identity, tmp_path: Path) -> None:
    first, second = text_pdf("first one"), text_pdf("other one")
    fill(identity.tenant_id, left_bytes=max(len(first), len(second)))
    document = store(identity, tmp_path, first)
    with pytest.raises(AccountStorageFull):
        store(identity, tmp_path, second)
    delete_document(identity=identity, document_id=document.id)
    store(identity, tmp_path, second)


def test_twenty_at_once_at_the_edge_keep_within_it(identity: Identity, tmp_path: Path) -> None:
    contents = [text_pdf(f"number {number:02}") for number in range(20)]
    size = max(map(len, contents))
    fill(identity.tenant_id, left_bytes=3 * size)

    def one(number: int) -> bool:
        try:
            store(identity, tmp_path / str(number), contents[number])
        except AccountStorageFull:
            return False
        finally:
            connections.close_all()
        return True

    with ThreadPoolExecutor(20) as pool:
        taken = list(pool.map(one, range(20)))
    assert sum(taken) == 3
    assert used(identity) <= MB
    assert identity.tenant_id not in correct_stored_bytes()


def test_without_a_limit_anything_fits(identity: Identity, tmp_path: Path) -> None:
    first, second = text_pdf("free"), text_pdf("free too")
    store(identity, tmp_path, first)
    with operator_work():
        Tenant.objects.filter(id=identity.tenant_id).update(storage_mb=0)
    store(identity, tmp_path, second)
    assert used(identity) == len(first) + len(second)


def test_lines_are_folded_into_one_of_the_same_sum(identity: Identity) -> None:
    with unit_of_work(identity.tenant_id):
        StoredBytes.objects.bulk_create(
            StoredBytes(tenant_id=identity.tenant_id, size_bytes=number) for number in range(MAX_LINES + 1)
        )
    before = used(identity)
    fold_stored_bytes()
    with unit_of_work(identity.tenant_id):
        assert StoredBytes.objects.count() == 1
    assert used(identity) == before


def test_a_count_that_is_wrong_is_told_of_and_corrected(identity: Identity, tmp_path: Path) -> None:
    content = text_pdf("miscounted")
    store(identity, tmp_path, content)
    with unit_of_work(identity.tenant_id):
        StoredBytes.objects.create(tenant_id=identity.tenant_id, size_bytes=7)
    with capture_logs() as logs:
        reconcile()
    assert -7 in [line.get("corrected_by_bytes") for line in logs]
    assert used(identity) == len(content)
    with operator_work():
        row = LedgerDifference.objects.get(tenant_id=identity.tenant_id, compared="stored_bytes")
    assert (row.expected_micros, row.found_micros, row.resolved_at) == (len(content), len(content) + 7, None)
    reconcile()
    with operator_work():
        row.refresh_from_db()
    assert row.resolved_at is not None
