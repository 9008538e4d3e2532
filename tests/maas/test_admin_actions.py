"""Tests that operators' actions take effect, need a confirmation if they cannot be undone, and are recorded."""

from collections.abc import Callable

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.db.models import Model
from django.test import Client, RequestFactory
from django.urls import reverse

from inference.models import ModelPool, ModelTask, ModelVariant, ModelVersion, ScalingTerms, ServedModel
from inference.registry.aliases import move_alias
from inference.registry.references import CURRENT
from inference.workers.heartbeats import Beat, Heartbeat, WorkerReport
from jobs.admin import workers as workers_admin
from jobs.batches.models import Batch
from jobs.core.models import Job
from jobs.webhooks.models import WebhookDelivery, WebhookEndpoint
from jobs.webhooks.services import change_endpoint, create_endpoint, send_test
from tenants.accounts.models import Membership, Tenant, User
from tenants.api_keys.models import ApiKey
from tenants.billing.payments.models import Payment
from tenants.core.db.unit_of_work import operator_work
from tenants.onboarding.create_tenant import CreatedTenant
from tenants.plans.models import Plan
from tenants.tiers.models import Tier
from tests.fixtures import unique
from tests.jobs.batches.desk import BatchDesk
from tests.jobs.conftest import Desk
from tests.tenants.billing.payments.conftest import Payer
from tests.tenants.plans.selling import make_plan

FILE = {"file": "models/none.onnx", "sha256": "4" * 64, "bytes": 1, "name": "none.onnx"}


def all_actions() -> list[tuple[type[Model], str]]:
    admin.autodiscover()
    request = RequestFactory().get("/admin/")
    request.user = User(is_superuser=True, is_staff=True, is_active=True)
    return sorted(
        ((model, name) for model, page in admin.site._registry.items() for name in page.get_actions(request)),
        key=lambda pair: (pair[0]._meta.label, pair[1]),
    )


def ended_badly(desk: Desk) -> Job:
    job = desk.submit()
    desk.sql("UPDATE jobs_page SET state = 'failed' WHERE job_id = %s", job.id)
    desk.sql("UPDATE jobs_job SET state = 'failed', pages_failed = 1 WHERE id = %s", job.id)
    return job


def paused(desk: Desk) -> ServedModel:
    served = desk.version.served_model
    ServedModel.objects.filter(pk=served.pk).update(state="paused")
    return served


def second_version(desk: Desk) -> ModelVersion:
    served = desk.version.served_model
    return ModelVersion.objects.create(served_model=served, number=2, runtime="embed", digest="2" * 64)


def rolled_forward(desk: Desk) -> ServedModel:
    newer = second_version(desk)
    move_alias(owner=None, model=newer.served_model.name, alias=CURRENT, number=newer.number)
    return ServedModel.objects.get(pk=newer.served_model_id)


def own_version(desk: Desk) -> ModelVersion:
    """Create a version of the tenant's own model, as an upload of a file does."""
    owner = desk.identity.tenant_id
    served = ServedModel.objects.create(
        tenant_id=owner, name=unique("own"), accepts=["tensors"], price_meter="call", price_micros=0
    )
    return ModelVersion.objects.create(
        served_model=served, tenant_id=owner, number=1, runtime="onnx", digest="3" * 64, artifacts={"weights": FILE}
    )


def paused_version(desk: Desk) -> ModelVersion:
    version = own_version(desk)
    version.paused_reason = "its process ended several times in a row."
    version.save()
    return version


def waiting_task(desk: Desk) -> ModelTask:
    version = own_version(desk)
    return ModelTask.objects.create(tenant_id=version.tenant_id, version=version, kind=ModelTask.Kind.OPTIMIZE)


def admitted_variant(desk: Desk) -> ModelVariant:
    version = own_version(desk)
    return ModelVariant.objects.create(
        tenant_id=version.tenant_id, version=version, precision="int8", artifact=FILE, state="admitted"
    )


def suspended(desk: Desk) -> Tenant:
    Tenant.objects.filter(pk=desk.identity.tenant_id).update(state="suspended")
    return Tenant.objects.get(pk=desk.identity.tenant_id)


def closing(desk: Desk) -> Tenant:
    Tenant.objects.filter(pk=desk.identity.tenant_id).update(
        state="closing", closes_at="2100-01-01T00:00Z", closing_notified_at=None
    )
    return Tenant.objects.get(pk=desk.identity.tenant_id)


def webhook_endpoint(desk: Desk) -> WebhookEndpoint:
    return create_endpoint(identity=desk.identity, url="https://example.com/hook").endpoint


def disabled_endpoint(desk: Desk) -> WebhookEndpoint:
    made = webhook_endpoint(desk)
    return change_endpoint(identity=desk.identity, endpoint_id=made.id, enabled=False)


def webhook_delivery(desk: Desk) -> WebhookDelivery:
    return send_test(identity=desk.identity, endpoint_id=webhook_endpoint(desk).id)


ROWS: dict[tuple[type[Model], str], Callable[[Desk], Model]] = {
    (Job, "cancel"): lambda desk: desk.submit(),
    (Job, "retry"): ended_badly,
    (Job, "release_again"): lambda desk: desk.submit(),
    (Job, "erase"): ended_badly,
    (Batch, "cancel"): lambda desk: BatchDesk(desk.identity, desk.version).batch(),
    (WebhookEndpoint, "disable"): webhook_endpoint,
    (WebhookEndpoint, "enable"): disabled_endpoint,
    (WebhookDelivery, "replay"): webhook_delivery,
    (ServedModel, "pause"): lambda desk: desk.version.served_model,
    (ServedModel, "resume"): paused,
    (ServedModel, "roll_back"): rolled_forward,
    (ModelVersion, "publish"): second_version,
    (ModelVersion, "optimize"): own_version,
    (ModelVersion, "resume"): paused_version,
    (ModelTask, "cancel"): waiting_task,
    (ModelVariant, "use"): admitted_variant,
    (ModelVariant, "refuse"): admitted_variant,
    (Tenant, "suspend"): lambda desk: Tenant.objects.get(pk=desk.identity.tenant_id),
    (Tenant, "reactivate"): suspended,
    (Tenant, "erase_results"): lambda desk: Tenant.objects.get(pk=desk.identity.tenant_id),
    (Tenant, "take_back"): closing,
    (Tenant, "erase_now"): closing,
    (Plan, "duplicate"): lambda desk: make_plan(),
    (Payment, "cancel"): lambda desk: Payer(desk.identity.tenant_id).tops_up(50, "offline"),
    (ApiKey, "revoke"): lambda desk: ApiKey.objects.get(tenant_id=desk.identity.tenant_id),
    (Membership, "delete_selected"): lambda desk: Membership.objects.get(tenant_id=desk.identity.tenant_id),
    (Group, "delete_selected"): lambda desk: Group.objects.create(name=unique("group")),
    (ModelPool, "delete_selected"): lambda desk: ModelPool.objects.create(name=unique("pool")),
    (Tier, "delete_selected"): lambda desk: Tier.objects.create(name=unique("tier")),
    (ScalingTerms, "delete_selected"): lambda desk: ScalingTerms.objects.create(pool=unique("pool")),
}
"""A row for each action to act on: an action that is not here has no test."""


def act(operator: Client, row: Model, action: str, **asked: str) -> object:
    meta = row._meta
    return operator.post(
        reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist"),
        {"action": action, "_selected_action": [str(row.pk)], **asked},
    )


def entries(person: User, row: Model) -> list[str]:
    with operator_work():
        found = LogEntry.objects.filter(
            user=person, object_id=str(row.pk), content_type__model=row._meta.model_name
        ).order_by("id")
        return [entry.get_change_message() for entry in found]


@pytest.mark.parametrize(("model", "action"), all_actions(), ids=lambda one: getattr(one, "__name__", one))
def test_every_action_is_offered_on_the_page_of_its_row_and_leaves_an_entry_in_the_audit_log(
    operator: Client, person: User, desk: Desk, model: type[Model], action: str
) -> None:
    with operator_work():
        row = ROWS[model, action](desk)
    if action != "delete_selected":  # Its page has Django's own button.
        meta = row._meta
        page = operator.get(reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[row.pk]))
        assert f'name="action" value="{action}"' in page.content.decode()
    act(operator, row, action, confirmed="yes", post="yes")
    assert len(entries(person, row)) == 1


@pytest.mark.parametrize(
    ("model", "action"),
    [
        (Job, "cancel"),
        (Batch, "cancel"),
        (WebhookEndpoint, "disable"),
        (ServedModel, "pause"),
        (ServedModel, "roll_back"),
        (ModelVersion, "publish"),
        (ModelVersion, "optimize"),
        (ModelTask, "cancel"),
        (ModelVariant, "use"),
        (ModelVariant, "refuse"),
        (Tenant, "suspend"),
        (Tenant, "erase_results"),
        (ApiKey, "revoke"),
    ],
    ids=lambda one: getattr(one, "__name__", one),
)
def test_what_cannot_be_undone_is_asked_about_first(
    operator: Client, person: User, desk: Desk, model: type[Model], action: str
) -> None:
    with operator_work():
        row = ROWS[model, action](desk)
    asked = act(operator, row, action)
    assert 'name="confirmed" value="yes"' in asked.content.decode()  # type: ignore[attr-defined]
    assert entries(person, row) == []


def test_an_action_never_reaches_rows_that_were_not_chosen(operator: Client, desk: Desk) -> None:
    chosen, other = desk.submit(), desk.submit()
    act(operator, chosen, "cancel", confirmed="yes", select_across="1")
    assert {desk.again(chosen).state, desk.again(other).state} == {"queued"}


def test_a_row_that_refuses_keeps_no_other_from_the_action(operator: Client, person: User, desk: Desk) -> None:
    with operator_work():
        ended, waiting = (BatchDesk(desk.identity, desk.version).batch() for _ in range(2))
    act(operator, ended, "cancel", confirmed="yes")
    answer = operator.post(
        reverse("admin:jobs_batch_changelist"),
        {"action": "cancel", "_selected_action": [str(ended.pk), str(waiting.pk)], "confirmed": "yes"},
    )
    page = operator.get(answer.headers["Location"]).content.decode()
    assert "cannot be canceled" in page
    assert "1 canceled." in page
    assert [len(entries(person, batch)) for batch in (ended, waiting)] == [1, 1]


def test_a_retry_names_the_new_job_and_one_that_cannot_be_is_explained(
    operator: Client, person: User, desk: Desk
) -> None:
    failed, waiting = ended_badly(desk), desk.submit()
    act(operator, failed, "retry")
    with operator_work():
        again = Job.objects.get(retry_of=failed)
    assert entries(person, failed) == [f"Retried as {again.id}."]
    answer = act(operator, waiting, "retry")
    page = operator.get(answer.headers["Location"]).content.decode()  # type: ignore[attr-defined]
    assert "still queued" in page


def test_a_release_again_forgets_back_off_and_wakes_under_way(operator: Client, desk: Desk) -> None:
    job = desk.submit()
    desk.sql(
        "UPDATE jobs_page SET renotify_at = now() + interval '1 hour', run_after = now() + interval '1 hour'"
        " WHERE job_id = %s",
        job.id,
    )
    act(operator, job, "release_again")
    page = desk.pages(job)[0]
    assert page.run_after <= page.created_at or desk.claim(page) is not None


@pytest.mark.parametrize(
    ("back", "leads_to"), [("/admin/jobs/job/", "/admin/jobs/job/"), ("https://evil.example/", None)]
)
def test_an_action_leads_back_to_where_it_was_asked_for_on_this_site(
    operator: Client, desk: Desk, back: str, leads_to: str | None
) -> None:
    answer = act(operator, desk.submit(), "release_again", back=back)
    location = answer.headers["Location"]  # type: ignore[attr-defined]
    assert location == (leads_to or reverse("admin:jobs_job_changelist"))


@pytest.fixture
def worker() -> Heartbeat:
    heartbeat = Heartbeat(unique("worker"), "CPU")
    heartbeat.beat(Beat(models=(), pages_held=0))
    return heartbeat


@pytest.mark.parametrize(("order", "drains"), [("drain", True), ("resume", False)])
def test_an_order_to_a_worker_is_heard_by_it_and_logged(
    operator: Client, person: User, worker: Heartbeat, order: str, drains: bool
) -> None:
    operator.post(reverse("admin:jobs_worker_drain", args=[worker.name]), {"confirmed": "yes"})
    operator.post(reverse(f"admin:jobs_worker_{order}", args=[worker.name]))
    assert worker.ordered_to_drain() is drains
    with operator_work():
        said = LogEntry.objects.filter(user=person, object_id=worker.name).latest("id")
    assert said.get_change_message() == f"{order.capitalize()} requested."
    assert worker.name in operator.get(reverse("admin:admin_logentry_changelist")).content.decode()
    worker.end()


def test_no_order_is_given_to_a_worker_that_is_gone(operator: Client) -> None:
    name = unique("gone")
    answer = operator.post(reverse("admin:jobs_worker_drain", args=[name]), follow=True)
    assert "is no longer running" in answer.content.decode()
    with operator_work():
        said = [entry.change_message for entry in LogEntry.objects.filter(object_id=name).order_by("id")]
    assert said == ["Drain requested.", "The worker is no longer running."]


def test_orders_to_workers_are_an_operators_alone(client: Client, tenant: CreatedTenant, worker: Heartbeat) -> None:
    client.force_login(tenant.owner)
    assert client.post(reverse("admin:jobs_worker_drain", args=[worker.name]), {"confirmed": "yes"}).status_code == 302
    assert worker.ordered_to_drain() is False
    worker.end()


def test_an_operator_who_acted_is_not_deleted_with_the_log(operator: Client, person: User, desk: Desk) -> None:
    act(operator, desk.submit(), "release_again")
    assert operator.get(reverse("admin:tenants_user_delete", args=[person.pk])).status_code == 403


def test_the_last_worker_that_is_open_is_drained_after_a_question(
    operator: Client, worker: Heartbeat, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = reverse("admin:jobs_worker_drain", args=[worker.name])
    monkeypatch.setattr(workers_admin, "live_workers_with_long_timeout", lambda: [worker_called(worker.name)])
    assert "Drain the last worker that accepts pages?" in operator.post(at).content.decode()
    assert not worker.ordered_to_drain()
    monkeypatch.setattr(
        workers_admin,
        "live_workers_with_long_timeout",
        lambda: [worker_called(worker.name), worker_called("another")],
    )
    assert operator.post(at).status_code == 302
    assert worker.ordered_to_drain()
    worker.end()


def worker_called(name: str) -> WorkerReport:
    return WorkerReport(name=name, pid=1, provider="CPU", threads=2, seen_at=0.0)


def test_the_question_names_jobs_by_document_tenant_and_state(operator: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    page = act(operator, job, "cancel").content.decode()  # type: ignore[attr-defined]
    assert job.document is not None
    assert f"{job.document.name} (…{str(job.pk)[-8:]}) of " in page
    assert ", queued</a>" in page
