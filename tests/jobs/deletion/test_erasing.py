"""Tests of a tenant's deletion: only money and its proof are left, even if processes die during it."""

from pathlib import Path
from threading import Thread
from uuid import UUID

import pytest
from django.apps import apps
from django.core.files.storage import default_storage
from django.core.mail import EmailMessage
from django.db import DatabaseError, connections
from pytest_django import Settings

from inference.core.contracts import Embedding, Units, WorkOutput
from inference.registry.aliases import move_alias
from jobs.core.models import Job
from jobs.deletion import erasing, tables
from jobs.deletion.erasing import erase_closed_tenants
from jobs.documents.erasure import erase_due_files
from jobs.documents.pages import open_page
from jobs.documents.services import store_document
from jobs.queue.settlement import finish_page
from jobs.submission.idempotent_submission import submit_once
from jobs.submission.services import JobRequest, submit_job
from jobs.webhooks.services import create_endpoint
from jobs.webhooks.upkeep import erase_old_webhooks
from maas.web.errors.api_errors import as_domain_error
from tenants.accounts.models import Membership, Tenant
from tenants.audit.models import AuditEntry
from tenants.authentication.selectors import identify_member
from tenants.billing.usage.models import UsageRecord
from tenants.core.db.tenant_owned import TenantOwned
from tenants.core.db.unit_of_work import OPERATOR, operator_work, unit_of_work
from tenants.core.errors import TenantClosing
from tenants.deletion.services import ask_to_close, begin_erasing, remind_owners, take_back
from tenants.identity.identity import Identity
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique
from tests.inference.registry.test_uploads import added
from tests.inference.runtime.graphs import save_adder
from tests.jobs.conftest import Desk
from tests.jobs.documents.conftest import Folder, folder
from tests.jobs.documents.test_services import upload
from tests.jobs.retention.everywhere import files_with, tables_with
from tests.samples.pdfs import text_pdf
from tests.waiting import eventually

__all__ = ["folder"]


@pytest.fixture
def word() -> str:
    digits = str.maketrans("0123456789", "abcdefghij", "-")
    return unique("quornzyx").translate(digits)


@pytest.fixture
def owner(tenant: CreatedTenant) -> Identity:
    found = identify_member(tenant.owner.pk, tenant.tenant.id)
    assert found is not None
    return found


@pytest.fixture
def work(desk: Desk, folder: Folder, tmp_path: Path, word: str) -> tuple[Job, Job]:
    """Make a half-read job with a webhook on a document with `word`, marked as a retry of another job."""
    content = text_pdf(f"About {word}", "and more")
    made = store_document(identity=desk.identity, upload=upload(tmp_path, content, name=f"{word}.pdf")).document
    open_page(made, 1)
    create_endpoint(identity=desk.identity, url="https://example.com/kept-in-the-audit-log")
    request = JobRequest(
        model=desk.version.served_model.name,
        document_id=made.id,
        request_id=word,
        webhook_url=f"https://example.com/{word}",
    )
    job = submit_once(identity=desk.identity, request=request, key=word).made
    read, _ = desk.pages(job)
    output = WorkOutput({"text": f"About {word}"}, Units(pages=1, tokens=3, calls=1), Embedding("0", (1.0,)))
    finish_page(desk.claimed(read), output, key=bytes(32))
    other = desk.submit()
    desk.sql("UPDATE jobs_job SET retry_of_id = %s WHERE id = %s", job.id, other.id)
    return job, other


def close(owner: Identity, *, due: bool = True) -> None:
    ask_to_close(identity=owner, typed=owner.tenant_name)
    if due:
        with operator_work():
            Tenant.objects.filter(id=owner.tenant_id).update(closes_at="2020-01-01T00:00Z")


def rows_left(tenant_id: UUID) -> dict[str, int]:
    found = {}
    with connections[OPERATOR].cursor() as cursor:
        for table in (*tables.FIRST, *tables.ROWS, *tables.MODELS, *tables.LAST, *tables.ORDERS):
            cursor.execute(f"SELECT count(*) FROM {table} WHERE tenant_id = %s", [tenant_id])
            found[table] = cursor.fetchone()[0]
    return {table: number for table, number in found.items() if number}


def state_of(tenant_id: UUID) -> str:
    with operator_work():
        return Tenant.objects.get(id=tenant_id).state


def until_erased(tenant_id: UUID) -> None:
    for _ in range(20):
        erase_closed_tenants()
        if state_of(tenant_id) == "erased":
            return
        erase_due_files()
    raise AssertionError(f"{state_of(tenant_id)}: {rows_left(tenant_id)}")


def test_every_table_of_a_tenant_is_erased_or_kept() -> None:
    """A new table has to be named. It would otherwise outlive its tenant, or delay the end of the erasure."""
    known = {*tables.FIRST, *tables.ROWS, *tables.MODELS, *tables.LAST, *tables.ORDERS, *tables.KEPT}
    models = [one for one in apps.get_models() if issubclass(one, TenantOwned)]
    assert {one._meta.db_table for one in models} <= known
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(
            "SELECT table_name FROM information_schema.columns JOIN information_schema.tables USING (table_name)"
            " WHERE column_name = 'tenant_id' AND table_type = 'BASE TABLE'"
            " AND columns.table_schema = 'public' AND tables.table_schema = 'public'"
        )
        there = {name for (name,) in cursor.fetchall()}
    assert there - set(tables.WHERE_KEPT) == known
    assert set(tables.FILES) <= known


@pytest.mark.usefixtures("work")
def test_nothing_is_left_but_money_and_its_proof(
    desk: Desk, owner: Identity, word: str, tenant: CreatedTenant, folder: Folder
) -> None:
    assert tables_with(word)
    assert files_with(word, folder.path)
    with operator_work():
        used = UsageRecord.objects.filter(tenant_id=owner.tenant_id).count()
    close(owner)
    until_erased(owner.tenant_id)
    assert rows_left(owner.tenant_id) == {}
    assert tables_with(word) == []
    assert files_with(word, folder.path) == []
    with operator_work():
        row = Tenant.objects.get(id=owner.tenant_id)
        assert row.name.startswith("Deleted account ")
        assert used
        assert UsageRecord.objects.filter(tenant_id=owner.tenant_id).count() == used
        assert not Membership.objects.filter(user=tenant.owner).exists()
        actions = AuditEntry.objects.filter(tenant_id=owner.tenant_id, action__startswith="tenant.").order_by("id")
        assert list(actions.values_list("action", flat=True))[-3:] == [
            "tenant.closing",
            "tenant.erasing",
            "tenant.erased",
        ]


def test_models_of_the_account_are_erased_with_their_files(owner: Identity, tmp_path: Path) -> None:
    name = unique("own")
    version = added(owner.tenant_id, save_adder(tmp_path / "adder.onnx"), name)
    added(None, save_adder(tmp_path / "adder.onnx"), unique("of-all"))
    move_alias(owner=owner.tenant_id, model=name, alias="champion", number=1)
    files = [str(artifact["file"]) for artifact in version.artifacts.values()]
    assert [name for name in files if default_storage.exists(name)]
    assert set(rows_left(owner.tenant_id)) >= {"inference_modelversion", "inference_aliasmove", "inference_modeltask"}
    close(owner)
    until_erased(owner.tenant_id)
    assert rows_left(owner.tenant_id) == {}
    assert [name for name in files if default_storage.exists(name)] == []


@pytest.mark.usefixtures("work")
def test_another_tenant_keeps_all(owner: Identity, other_tenant: CreatedTenant) -> None:
    before = rows_left(other_tenant.tenant.id)
    assert before
    close(owner)
    until_erased(owner.tenant_id)
    assert rows_left(other_tenant.tenant.id) == before
    assert state_of(other_tenant.tenant.id) == "active"


@pytest.mark.usefixtures("work")
def test_before_its_time_nothing_is_erased(owner: Identity) -> None:
    close(owner, due=False)
    before = rows_left(owner.tenant_id)
    erase_closed_tenants()
    assert rows_left(owner.tenant_id) == before
    assert state_of(owner.tenant_id) == "closing"


@pytest.mark.usefixtures("work")
def test_what_was_taken_back_is_not_erased(owner: Identity) -> None:
    close(owner)
    with operator_work():
        take_back(tenant_id=owner.tenant_id)
    before = rows_left(owner.tenant_id)
    erase_closed_tenants()
    assert (rows_left(owner.tenant_id), state_of(owner.tenant_id)) == (before, "active")


@pytest.mark.usefixtures("work")
def test_whoever_dies_at_any_step_is_followed(owner: Identity, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process is killed after each piece of the smallest size. Each round finds what is left."""
    monkeypatch.setattr(erasing, "ROWS", 1)
    monkeypatch.setattr(erasing, "ROUND_S", 0.001)
    close(owner)
    rounds = 0
    while state_of(owner.tenant_id) != "erased":
        erase_closed_tenants()
        erase_due_files()
        rounds += 1
        assert rounds < 500, rows_left(owner.tenant_id)
    assert rows_left(owner.tenant_id) == {}
    assert rounds > 5


def test_one_that_cannot_be_erased_keeps_no_other_from_it(
    owner: Identity, other_tenant: CreatedTenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = identify_member(other_tenant.owner.pk, other_tenant.tenant.id)
    assert other is not None
    close(owner)
    close(other)
    step = erasing._STEPS[0]

    def failing(tenant_id: UUID) -> bool:
        if tenant_id == owner.tenant_id:
            raise RuntimeError("odd")
        return step(tenant_id)

    monkeypatch.setattr(erasing, "_STEPS", (failing, *erasing._STEPS[1:]))
    for _ in range(3):
        erase_closed_tenants()
        erase_due_files()
    assert state_of(other.tenant_id) == "erased"
    assert state_of(owner.tenant_id) == "erasing"


def test_owners_are_mailed_when_it_is_asked_for_a_week_before_and_at_its_end(
    owner: Identity, settings: Settings, mailoutbox: list[EmailMessage], tenant: CreatedTenant
) -> None:
    settings.MAAS_EMAIL_URL = "smtp://mail.example"
    close(owner, due=False)
    assert remind_owners() == 0
    with operator_work():
        Tenant.objects.filter(id=owner.tenant_id).update(closes_at="2020-01-01T00:00Z")
    assert (remind_owners(), remind_owners()) == (1, 0)
    until_erased(owner.tenant_id)
    own = [mail for mail in mailoutbox if mail.to == [tenant.owner.email]]
    name = tenant.tenant.name
    assert [mail.subject.startswith(f"{name} will be deleted on ") for mail in own] == [True, True, False]
    assert own[2].subject == f"{name} was deleted"
    assert "/tenant/delete" in str(own[0].body)


_UNGUARDED = """
WITH RECURSIVE guarded AS (
    SELECT tgrelid AS id FROM pg_trigger WHERE tgname = 'refuse_erased_tenant'
    UNION
    SELECT c.conrelid FROM pg_constraint c JOIN guarded g ON c.confrelid = g.id
    JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey) AND a.attname <> 'tenant_id'
    WHERE c.contype = 'f' AND a.attnotnull
)
SELECT relname FROM pg_class WHERE relname = ANY (%s) AND oid NOT IN (SELECT id FROM guarded)
"""
WRITTEN_BY_ITS_END = {
    "jobs_eventhorizon": "written by whoever erases events",
    "jobs_fairshare": "written as a page of theirs is let to a worker",
    "jobs_webhookmessage": "tells of an event, in its transaction",
    "tenants_storedbytes": "written by triggers of what is counted",
}


def test_every_table_that_is_erased_has_the_trigger_or_refers_to_one_that_has() -> None:
    """Otherwise a row that is being written ends up in an erased account. `40_erased_tenants.sql` adds it."""
    erased = [*tables.FIRST, *tables.ROWS, *tables.LAST]
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_UNGUARDED, [erased])
        assert {name for (name,) in cursor.fetchall()} == set(WRITTEN_BY_ITS_END)


def test_what_is_being_written_as_the_erasure_begins_is_erased_too(desk: Desk, owner: Identity, tmp_path: Path) -> None:
    """The erasure begins when that write is done. It would otherwise look for what is left and miss that row."""
    close(owner)
    begun = Thread(target=_begin, args=(owner.tenant_id,))
    with unit_of_work(owner.tenant_id):
        store_document(identity=desk.identity, upload=upload(tmp_path, text_pdf("late")))
        begun.start()
        eventually(lambda: waits_for("tenants_tenant"), "the erasure to wait")
        assert state_of(owner.tenant_id) == "closing"
    begun.join()
    assert state_of(owner.tenant_id) == "erasing"
    until_erased(owner.tenant_id)
    assert rows_left(owner.tenant_id) == {}


def test_nothing_is_written_once_the_erasure_has_begun(desk: Desk, owner: Identity, tmp_path: Path) -> None:
    """The caller was admitted a moment before the erasure began."""
    close(owner)
    _begin(owner.tenant_id)
    with pytest.raises(DatabaseError) as refused:
        store_document(identity=desk.identity, upload=upload(tmp_path, text_pdf("late")))
    assert isinstance(as_domain_error(refused.value), TenantClosing)
    with pytest.raises(DatabaseError):
        desk.submit()
    while erasing._erase_some(owner.tenant_id):
        pass
    left = rows_left(owner.tenant_id)
    assert set(left) <= {"tenants_membership", "jobs_filetoerase"}, "its people, and the file that is let go of"


def _begin(tenant_id: UUID) -> None:
    try:
        with operator_work():
            begin_erasing(tenant_id=tenant_id)
    finally:
        connections[OPERATOR].close()


def waits_for(table: str) -> bool:
    """Return whether a session waits for a row of the table: the first that waits holds a `tuple` lock."""
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_locks JOIN pg_database d ON d.oid = database"
            " WHERE locktype = 'tuple' AND relation = %s::regclass AND datname = current_database())",
            [table],
        )
        return bool(cursor.fetchone()[0])


def test_one_whose_job_names_an_address_is_erased_after_its_days(desk: Desk, owner: Identity) -> None:
    """The endpoint that sends to an old named URL is kept, because it could not be created again by then."""
    named = JobRequest(
        model=desk.version.served_model.name, input={"text": "x"}, webhook_url="https://hooks.example.com/a"
    )
    submit_job(identity=desk.identity, request=named)
    close(owner, due=False)
    desk.sql(
        "UPDATE jobs_webhookendpoint SET created_at = created_at - interval '31 days' WHERE tenant_id = %s",
        owner.tenant_id,
    )
    erase_old_webhooks()
    with operator_work():
        Tenant.objects.filter(id=owner.tenant_id).update(closes_at="2020-01-01T00:00Z")
    until_erased(owner.tenant_id)
    assert state_of(owner.tenant_id) == "erased"
