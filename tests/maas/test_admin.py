"""Every page of the admin, as an operator opens it with the operator's database role."""

from collections.abc import Callable
from uuid import UUID

import pytest
from django.contrib import admin
from django.db import connections
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from inference.models import ModelVersion, PipelineStep
from jobs.dispatch.workers import Heartbeat
from jobs.services import JobRequest, submit_job
from tenants.admin_records import BoundedPaginator, FoundById
from tenants.context import OPERATOR, operator_work, unit_of_work
from tenants.identity import Identity
from tenants.models import Tenant, User
from tenants.selectors import identify_key
from tenants.services import CreatedTenant, create_operator, create_tenant
from tests.fixtures import unique
from tests.jobs.conftest import Desk

PASSWORD = "correct horse"
MOST_QUERIES = {"list": 7, "change": 12}
EVERY_MODEL = sorted(admin.site._registry, key=lambda model: model._meta.label)
LABELS = [model._meta.label for model in EVERY_MODEL]


@pytest.fixture(scope="module")
def person() -> User:
    return create_operator(email=f"{unique('operator')}@example.com", password=PASSWORD)


@pytest.fixture
def operator(client: Client, person: User) -> Client:
    client.force_login(person)
    return client


def row_of_each_kind(version: ModelVersion) -> Desk:
    made = create_tenant(name=unique("tenant"), email=f"{unique('owner')}@example.com")
    desk = Desk(identify_key(made.key.text), version)
    desk.finish(desk.pages(desk.submit(pages=2))[0])
    desk.submit()
    return desk


@pytest.fixture
def full(version: ModelVersion) -> Desk:
    return row_of_each_kind(version)


def address(model: type[Model], page: str, *args: object) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def newest(model: type[Model]) -> Model:
    with operator_work():
        found = model._default_manager.order_by("-pk").first()
    assert found is not None, f"no {model.__name__} to look at"
    return found


def test_an_operator_signs_in_with_the_password(client: Client, person: User) -> None:
    answer = client.post(
        "/admin/login/?next=/admin/", {"username": person.email, "password": PASSWORD, "next": "/admin/"}
    )
    assert answer.headers["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200


def test_a_member_is_not_let_in(client: Client, tenant: CreatedTenant) -> None:
    client.force_login(tenant.owner)
    assert client.get("/admin/").status_code == 302
    assert client.get(reverse("admin:jobs_workers")).status_code == 302


@pytest.mark.parametrize("model", EVERY_MODEL, ids=LABELS)
def test_every_list_opens_and_more_rows_cost_no_more_queries(
    operator: Client, full: Desk, make_version: Callable[[], ModelVersion], model: type[Model]
) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connections[OPERATOR]) as captured:
            assert operator.get(address(model, "changelist")).status_code == 200
        return len(captured)

    few = queries()
    row_of_each_kind(make_version())
    assert queries() == few <= MOST_QUERIES["list"]


@pytest.mark.parametrize("model", [model for model in EVERY_MODEL if model._meta.label != "auth.Group"])
def test_every_row_opens(operator: Client, full: Desk, model: type[Model]) -> None:
    with CaptureQueriesContext(connections[OPERATOR]) as captured:
        answer = operator.get(address(model, "change", newest(model).pk))
    assert answer.status_code == 200
    assert len(captured) <= MOST_QUERIES["change"], [query["sql"][:200] for query in captured]


@pytest.mark.parametrize(
    "model", [model for model, page in admin.site._registry.items() if isinstance(page, FoundById)]
)
def test_records_are_found_by_their_tenant(operator: Client, full: Desk, model: type[Model]) -> None:
    def rows(tenant_id: UUID) -> int:
        answer = operator.get(address(model, "changelist"), {"q": str(tenant_id)})
        assert answer.status_code == 200
        return int(answer.context["cl"].result_count)

    assert rows(full.identity.tenant_id) > 0
    assert rows(UUID(int=0)) == 0
    assert operator.get(address(model, "changelist"), {"q": "not an id"}).status_code == 200


def test_the_tables_that_the_product_writes_cannot_be_written_by_hand(operator: Client, full: Desk) -> None:
    for model in (
        "jobs_job",
        "jobs_page",
        "jobs_event",
        "jobs_document",
        "tenants_usagerecord",
        "tenants_apikey",
    ):
        assert operator.get(reverse(f"admin:{model}_add")).status_code == 403
        some = operator.get(reverse(f"admin:{model}_changelist")).context["cl"].result_list[0]
        assert operator.get(reverse(f"admin:{model}_delete", args=[some.pk])).status_code == 403
        assert operator.post(reverse(f"admin:{model}_change", args=[some.pk]), {}).status_code == 403


def test_what_tenants_sent_and_read_is_not_shown(
    operator: Client, identity: Identity, version: ModelVersion
) -> None:
    secret = unique("secret")
    desk = Desk(identity, version)
    request = JobRequest(model=version.key, input={"text": secret})
    job = submit_job(identity=identity, request=request)
    for model, row in (("jobs_job", job), ("jobs_page", desk.pages(job)[0])):
        assert secret not in operator.get(reverse(f"admin:{model}_change", args=[row.pk])).content.decode()


def test_a_jobs_pages_and_events_and_a_tenants_jobs_are_a_link_away(operator: Client, full: Desk) -> None:
    job = full.submit(pages=2)
    links = {
        "tenants_tenant": (full.identity.tenant_id, "jobs_job", "tenant__id__exact", 3),
        "jobs_job": (job.id, "jobs_page", "job__id__exact", 2),
    }
    for model, (key, target, field, rows) in links.items():
        url = f"{reverse(f'admin:{target}_changelist')}?{field}={key}"
        assert f'href="{url}"' in operator.get(reverse(f"admin:{model}_change", args=[key])).content.decode()
        assert operator.get(url).context["cl"].result_count == rows


def test_an_operator_cancels_a_job_through_the_tenants_own_service(operator: Client, full: Desk) -> None:
    running, ended = full.submit(), full.submit()
    full.finish(full.pages(ended)[0])
    operator.post(
        reverse("admin:jobs_job_changelist"),
        {"action": "cancel", "_selected_action": [str(running.id), str(ended.id)]},
    )
    assert full.again(running).state == "canceled"
    assert full.again(ended).state == "succeeded"
    assert [page.state for page in full.pages(running)] == ["canceled"]


def test_an_operator_makes_a_tenant_with_its_first_member(operator: Client, tenant: CreatedTenant) -> None:
    name = unique("tenant")
    form = {
        "name": name,
        "state": "active",
        "memberships-TOTAL_FORMS": "1",
        "memberships-INITIAL_FORMS": "0",
    }
    prefix = (
        operator.get(reverse("admin:tenants_tenant_add")).context["inline_admin_formsets"][0].formset.prefix
    )
    form = {key.replace("memberships", prefix): value for key, value in form.items()}
    answer = operator.post(
        reverse("admin:tenants_tenant_add"),
        {**form, f"{prefix}-0-user": str(tenant.owner.id), f"{prefix}-0-role": "viewer"},
    )
    assert answer.status_code == 302, answer.context["errors"]
    with operator_work():
        made = Tenant.objects.get(name=name)
    with unit_of_work(made.id):
        assert tenant.owner.memberships.get().role == "viewer"


def test_a_suspension_takes_effect(operator: Client, tenant: CreatedTenant) -> None:
    page = reverse("admin:tenants_tenant_change", args=[tenant.tenant.id])
    prefix = operator.get(page).context["inline_admin_formsets"][0].formset.prefix
    form = {"name": "n", "state": "suspended", f"{prefix}-TOTAL_FORMS": "0", f"{prefix}-INITIAL_FORMS": "0"}
    assert operator.post(page, form).status_code == 302
    with operator_work():
        assert Tenant.objects.get(id=tenant.tenant.id).state == "suspended"


def test_a_person_made_here_signs_in_whatever_capitals_were_typed(operator: Client) -> None:
    email = f"{unique('New')}@Example.com"
    answer = operator.post(
        reverse("admin:tenants_user_add"),
        {"email": email, "usable_password": "true", "password1": PASSWORD, "password2": PASSWORD},
    )
    assert answer.status_code == 302, answer.context["errors"]
    assert Client().post("/sign-in", {"username": email, "password": PASSWORD}).status_code == 302


def test_a_person_can_be_changed_and_deleted(operator: Client, tenant: CreatedTenant) -> None:
    page = reverse("admin:tenants_user_change", args=[tenant.owner.id])
    assert (
        operator.post(page, {"email": tenant.owner.email, "name": "Ada", "is_active": "on"}).status_code
        == 302
    )
    assert User.objects.get(id=tenant.owner.id).name == "Ada"
    delete = reverse("admin:tenants_user_delete", args=[tenant.owner.id])
    assert operator.get(delete).status_code == 200
    assert operator.post(delete, {"post": "yes"}).status_code == 302
    assert not User.objects.filter(id=tenant.owner.id).exists()


def test_a_key_is_revoked_and_its_hash_never_shown(operator: Client, tenant: CreatedTenant) -> None:
    key = tenant.key.key
    operator.post(
        reverse("admin:tenants_apikey_changelist"), {"action": "revoke", "_selected_action": [str(key.id)]}
    )
    page = operator.get(reverse("admin:tenants_apikey_change", args=[key.id])).content.decode()
    with operator_work():
        key.refresh_from_db()
    assert key.revoked_at is not None
    assert key.secret_hash not in page


def version_form(version: ModelVersion, **changes: str) -> dict[str, str]:
    served = version.served_model
    return {
        "title": "T",
        "description": "",
        "state": "active",
        "current": str(version.pk),
        "price_meter": served.price_meter,
        "price_micros": "7",
        "price_per": "1",
        "currency": "EUR",
        **changes,
    }


def test_only_a_models_own_ready_versions_can_answer_for_it(
    operator: Client, make_version: Callable[[], ModelVersion]
) -> None:
    own, foreign = make_version(), make_version()
    with operator_work():
        retired = ModelVersion.objects.create(
            served_model=own.served_model, number=2, runtime="embed", digest="1" * 64, state="retired"
        )
    page = reverse("admin:inference_servedmodel_change", args=[own.served_model.pk])
    for wrong in (foreign, retired):
        answer = operator.post(page, version_form(own, current=str(wrong.pk)))
        assert "current" in answer.context["adminform"].form.errors
    assert operator.post(page, version_form(own)).status_code == 302


@pytest.mark.parametrize(("field", "value"), [("price_per", "0"), ("currency", "eu"), ("price_micros", "-1")])
def test_a_price_that_is_none_is_refused(
    operator: Client, version: ModelVersion, field: str, value: str
) -> None:
    page = reverse("admin:inference_servedmodel_change", args=[version.served_model.pk])
    answer = operator.post(page, version_form(version, **{field: value}))
    assert field in answer.context["adminform"].form.errors


def test_models_are_paused_and_resumed(operator: Client, version: ModelVersion) -> None:
    served = version.served_model
    for action, state in (("pause", "paused"), ("resume", "active")):
        operator.post(
            reverse("admin:inference_servedmodel_changelist"),
            {"action": action, "_selected_action": [str(served.pk)]},
        )
        served.refresh_from_db(using=OPERATOR)
        assert served.state == state


def test_a_version_in_use_is_not_retired(operator: Client, version: ModelVersion) -> None:
    def retire(which: ModelVersion) -> int:
        steps = {"steps-TOTAL_FORMS": "0", "steps-INITIAL_FORMS": "0"}
        page = reverse("admin:inference_modelversion_change", args=[which.pk])
        return operator.post(page, {"state": "retired", **steps}).status_code

    with operator_work():
        older = ModelVersion.objects.create(
            served_model=version.served_model, number=2, runtime="embed", digest="1" * 64
        )
        step = PipelineStep.objects.create(pipeline=version, role="embed", member=older)
    assert retire(version) == 200
    assert retire(older) == 200
    with operator_work():
        step.delete()
    assert retire(older) == 302


def test_workers_that_are_alive_are_listed_with_their_provider(operator: Client) -> None:
    worker = Heartbeat(unique("worker"), "CUDAExecutionProvider")
    worker.beat(resident=("ocr@1",), pages_held=3)
    page = operator.get(reverse("admin:jobs_workers")).content.decode()
    worker.end()
    assert "CUDAExecutionProvider" in page
    assert "ocr@1" in page


def test_counting_ends_where_nobody_reads_on(full: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BoundedPaginator, "MOST_ROWS", 1)
    with operator_work():
        assert BoundedPaginator(Tenant.objects.order_by("id"), 1).count == 1
