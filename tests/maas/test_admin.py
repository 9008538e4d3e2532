"""Tests of every page of the admin, opened by an operator with the operator's database role."""

import html
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import Group
from django.db import connections
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from inference.core.contracts import Units, WorkOutput
from inference.models import AliasMove, ModelPool, ModelVersion
from inference.workers.heartbeats import STUCK_S, Beat, Heartbeat, HeldModel
from jobs.admin.job_detail import details_of
from jobs.core import archive_states as states
from jobs.core.models import Event
from jobs.core.models.archives import Archive
from jobs.queue.settlement import Failure, fail_page, finish_page
from jobs.submission.cancellations import cancel_job
from jobs.submission.retries import retry_job
from jobs.submission.services import JobRequest, submit_job
from jobs.webhooks.services import create_endpoint, send_test
from maas.ops.operator_theme import SIDEBAR
from tenants.accounts.models import Membership, Tenant, User
from tenants.admin_base.records import BoundedPaginator, FoundById
from tenants.authentication.selectors import identify_key
from tenants.billing.invoices.models import BillingDetails, Seller
from tenants.billing.ledger.models import LedgerDifference
from tenants.billing.ledger.subscriptions import subscribe
from tenants.billing.payments.models import ProviderEvent
from tenants.core.db.unit_of_work import OPERATOR, operator_work, unit_of_work
from tenants.identity.identity import Identity
from tenants.onboarding.create_tenant import CreatedTenant, create_tenant
from tests.fixtures import model_version, unique
from tests.flows.invoices import issued
from tests.jobs.batches.desk import BatchDesk
from tests.jobs.conftest import Desk
from tests.maas.test_admin_actions import act, admitted_variant, waiting_task
from tests.tenants.billing.ledger.conftest import Purse
from tests.tenants.billing.payments.conftest import Payer
from tests.tenants.plans.selling import include, make_plan, own_price, price

PASSWORD = "correct horse"
MAX_QUERIES = {"list": 7, "change": 15}
admin.autodiscover()
EVERY_MODEL = sorted(admin.site._registry, key=lambda model: model._meta.label)
OWNER = "owner-of-each-kind"
"""The search term for the list of people: all whom it finds have a tenant, for which the list makes no query."""
ONE_ROW = (Seller, Group)
"""The models that have one row at most."""
LABELS = [model._meta.label for model in EVERY_MODEL]
CODE_NAMES = {
    *(
        "Id",
        "Url",
        "Seq",
        "Sha256",
        "Livemode",
        "By livemode",
        "Request id",
        "Event id",
        "Source id",
        "Object id",
    ),
    *(
        "Input file id",
        "Price micros",
        "Cached price micros",
        "Price per",
        "Price meter",
        "Tax rate bp",
        "Is active",
    ),
}


def row_of_each_kind() -> Desk:
    operator = User.objects.filter(is_superuser=True)[0]
    with operator_work():
        LogEntry.objects.create(user=operator, object_id="one", object_repr="one", action_flag=CHANGE)
        ModelPool.objects.create(name=unique("pool"))
    made = create_tenant(name=unique("tenant"), email=f"{unique(OWNER)}@example.com")
    desk = Desk(identify_key(made.key.text), model_version())
    desk.finish(desk.pages(desk.submit(pages=2))[0])
    desk.submit()
    BatchDesk(desk.identity, desk.version).batch()
    with unit_of_work(desk.identity.tenant_id):
        # The archive is finished, so that no worker of another test takes it.
        archive = Archive.objects.create(
            tenant_id=desk.identity.tenant_id,
            name="post.zip",
            sha256="0" * 64,
            size_bytes=1,
            state=states.DONE,
        )
        archive.entries.create(tenant_id=desk.identity.tenant_id, number=1, name="a.pdf", size_bytes=1)
    hook = create_endpoint(identity=desk.identity, url="https://example.com/hook")
    send_test(identity=desk.identity, endpoint_id=hook.endpoint.id)
    with operator_work():
        LedgerDifference.objects.create(
            tenant_id=made.tenant.id,
            compared="held",
            currency="EUR",
            subject="wallet",
            expected_micros=1,
            found_micros=2,
            resolved_at=timezone.now(),
        )
        ProviderEvent.objects.create(provider="stripe", event_id=unique("evt"), kind="customer.updated")
    Payer(made.tenant.id).tops_up(50, "offline")
    Purse(made.tenant.id).grant(5)
    issued(made.tenant.id)
    with operator_work():
        BillingDetails.objects.create(tenant_id=made.tenant.id, name="Atelier")
        if not Seller.objects.exists():
            Seller.objects.create(name="Lesewerk", address="", country="DE", bills_from="2026-01-01")
        task, variant = waiting_task(desk), admitted_variant(desk)
        AliasMove.objects.create(
            tenant_id=variant.tenant_id, served_model=variant.version.served_model, alias="a", version=task.version
        )
    plan = make_plan()
    price(plan, 1)
    include(plan, 1)
    own_price(desk.identity.tenant_id, 1)
    subscribe(tenant_id=desk.identity.tenant_id, plan=plan)
    return desk


@pytest.fixture(scope="module")
def full(person: User) -> Desk:
    """Return the `desk` of the newer of two rows of each kind. Tests only read these rows."""
    row_of_each_kind()
    return row_of_each_kind()


def address(model: type[Model], page: str, *args: object) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def newest(model: type[Model]) -> Model:
    with operator_work():
        found = model._default_manager.order_by("-pk").first()
    assert found is not None, f"no {model.__name__} to look at"
    return found


def test_an_operator_signs_in_with_the_password(client: Client, person: User) -> None:
    assert client.get("/admin/", follow=True).redirect_chain[-1][0] == "/sign-in?next=/admin/"
    answer = client.post("/sign-in", {"username": person.email, "password": PASSWORD, "next": "/admin/"})
    assert answer.headers["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200


def test_a_member_is_not_let_in(client: Client, tenant: CreatedTenant) -> None:
    client.force_login(tenant.owner)
    assert client.get("/admin/").status_code == 302
    assert client.get(reverse("admin:jobs_workers")).status_code == 302


@pytest.mark.parametrize("model", EVERY_MODEL, ids=LABELS)
def test_every_list_opens_and_more_rows_cost_no_more_queries(
    operator: Client, full: Desk, monkeypatch: pytest.MonkeyPatch, model: type[Model]
) -> None:
    def queries(rows: int) -> int:
        monkeypatch.setattr(type(admin.site._registry[model]), "list_per_page", rows)
        with CaptureQueriesContext(connections[OPERATOR]) as captured:
            answer = operator.get(address(model, "changelist"), {"q": OWNER} if model is User else {})
        assert answer.status_code == 200
        shown = len(answer.context["cl"].result_list)
        assert shown == rows or model in ONE_ROW
        return len(captured)

    assert queries(2) == queries(1) <= MAX_QUERIES["list"]


def crumbs_of(page: str) -> str:
    header = re.search(r"<h1[^>]*>(.*?)</h1>", page, re.DOTALL)
    assert header is not None
    text = html.unescape(re.sub(r"<[^>]+>", " ", header[1])).replace("chevron_right", "›")
    return " ".join(text.split())


@pytest.mark.parametrize("model", EVERY_MODEL, ids=LABELS)
def test_menu_title_and_breadcrumbs_agree(operator: Client, full: Desk, model: type[Model]) -> None:
    """A list has the name of its menu entry, a form its verb and the singular of the list."""
    its_admin = admin.site._registry[model]
    in_menu = {str(item["link"]): str(item["title"]) for group in SIDEBAR for item in group["items"]}
    place = address(model, "changelist")
    answer = operator.get(place)
    title = str(answer.context["title"])
    assert in_menu.get(place, title) == title
    assert crumbs_of(answer.content.decode()).endswith(f"› {title}")
    pages = [address(model, "add")] if its_admin.has_add_permission(answer.wsgi_request) else []
    if model is not Group:
        pages.append(address(model, "change", newest(model).pk))
    for page in pages:
        answer = operator.get(page)
        verb, _, named = str(answer.context["title"]).partition(" ")
        assert verb in ("Add", "Change", "View")
        assert named == its_admin.opts.verbose_name
        crumbs = crumbs_of(answer.content.decode())
        assert f"› {title} ›" in crumbs
        assert crumbs.endswith(f"› {verb} {named}")


def test_no_label_is_a_name_of_the_code(operator: Client, full: Desk) -> None:
    for model in EVERY_MODEL:
        rows = [] if model is Group else [address(model, "change", newest(model).pk)]
        for place in (address(model, "changelist"), *rows):
            page = operator.get(place).content.decode()
            texts = re.findall(r"<(?:label|th)\b[^>]*>(.*?)</(?:label|th)>", page, re.DOTALL)
            labels = {" ".join(re.sub(r"<[^>]+>", " ", text).split()).rstrip(" *") for text in texts}
            assert not labels & CODE_NAMES, place


@pytest.mark.parametrize("model", [model for model in EVERY_MODEL if model._meta.label != "auth.Group"])
def test_every_row_opens(operator: Client, full: Desk, model: type[Model]) -> None:
    with CaptureQueriesContext(connections[OPERATOR]) as captured:
        answer = operator.get(address(model, "change", newest(model).pk))
    assert answer.status_code == 200
    assert len(captured) <= MAX_QUERIES["change"], [query["sql"][:200] for query in captured]


@pytest.mark.parametrize(
    "model",
    [
        model
        for model, page in admin.site._registry.items()
        if isinstance(page, FoundById) and model not in (LogEntry, ProviderEvent, Tenant)
    ],
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
        "jobs_batch",
        "jobs_storedfile",
        "tenants_usagerecord",
        "tenants_ledgertransaction",
        "tenants_invoice",
        "tenants_apikey",
    ):
        assert operator.get(reverse(f"admin:{model}_add")).status_code == 403
        some = newest(apps.get_model(model.replace("_", "."))).pk
        assert operator.get(reverse(f"admin:{model}_delete", args=[some])).status_code == 403
        if model != "tenants_apikey":  # Its limits change there: see test_admin_limits.py.
            assert operator.post(reverse(f"admin:{model}_change", args=[some]), {}).status_code == 403


def test_what_tenants_sent_and_read_is_not_shown(operator: Client, identity: Identity, version: ModelVersion) -> None:
    secret = unique("secret")
    desk = Desk(identity, version)
    request = JobRequest(model=version.key, input={"text": secret})
    job = submit_job(identity=identity, request=request)
    for model, row in (("jobs_job", job), ("jobs_page", desk.pages(job)[0])):
        assert secret not in operator.get(reverse(f"admin:{model}_change", args=[row.pk])).content.decode()


def test_a_jobs_pages_and_events_and_a_tenants_jobs_are_a_link_away(operator: Client, desk: Desk) -> None:
    desk.submit()
    job = desk.submit(pages=2)
    links = {
        "tenants_tenant": (desk.identity.tenant_id, "jobs_job", "tenant__id__exact", 2),
        "jobs_job": (job.id, "jobs_page", "job__id__exact", 2),
    }
    for model, (key, target, field, rows) in links.items():
        url = f"{reverse(f'admin:{target}_changelist')}?{field}={key}"
        assert f'href="{url}"' in operator.get(reverse(f"admin:{model}_change", args=[key])).content.decode()
        assert operator.get(url).context["cl"].result_count == rows


def test_an_operator_cancels_a_job_through_the_tenants_own_service(operator: Client, desk: Desk) -> None:
    running, ended = desk.submit(), desk.submit()
    desk.finish(desk.pages(ended)[0])
    operator.post(
        reverse("admin:jobs_job_changelist"),
        {"action": "cancel", "confirmed": "yes", "_selected_action": [str(running.id), str(ended.id)]},
    )
    assert desk.again(running).state == "canceled"
    assert desk.again(ended).state == "succeeded"
    assert [page.state for page in desk.pages(running)] == ["canceled"]


def test_a_suspension_takes_effect(operator: Client, tenant: CreatedTenant) -> None:
    page = reverse("admin:tenants_tenant_change", args=[tenant.tenant.id])
    form = {"name": "n", "state": "suspended", "weight": "1"}
    for inline in operator.get(page).context["inline_admin_formsets"]:
        form |= {f"{inline.formset.prefix}-{what}_FORMS": "0" for what in ("TOTAL", "INITIAL")}
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
    form = {"email": tenant.owner.email, "name": "Ada", "is_active": "on"}
    none = {"memberships-TOTAL_FORMS": "0", "memberships-INITIAL_FORMS": "0"}
    assert operator.post(page, {**form, **none}).status_code == 302
    assert User.objects.get(id=tenant.owner.id).name == "Ada"
    delete = reverse("admin:tenants_user_delete", args=[tenant.owner.id])
    assert operator.get(delete).status_code == 200
    assert operator.post(delete, {"post": "yes"}).status_code == 302
    assert not User.objects.filter(id=tenant.owner.id).exists()


def test_a_key_is_revoked_and_its_hash_never_shown(operator: Client, tenant: CreatedTenant) -> None:
    key = tenant.key.key
    act(operator, key, "revoke", confirmed="yes")
    page = operator.get(reverse("admin:tenants_apikey_change", args=[key.id])).content.decode()
    with operator_work():
        key.refresh_from_db()
    assert key.revoked_at is not None
    assert key.secret_hash not in page


def test_workers_that_are_alive_are_listed_with_their_provider(operator: Client) -> None:
    worker = Heartbeat(unique("worker"), "CUDAExecutionProvider")
    worker.beat(Beat(models=(HeldModel("ocr@1", 7),), pages_held=3))
    page = operator.get(reverse("admin:jobs_workers")).content.decode()
    worker.end()
    assert "CUDAExecutionProvider" in page
    assert "ocr@1" in page


def test_a_worker_that_does_not_look_what_it_should_hold_is_shown_to_be_stuck(operator: Client) -> None:
    worker = Heartbeat(unique("worker"), "CPU")
    worker.beat(Beat(look_age_s=STUCK_S + 15))
    page = operator.get(reverse("admin:jobs_workers")).content.decode()
    worker.end()
    assert "stuck: no model check for 45 s" in page


def test_counting_ends_where_nobody_reads_on(operator: Client, full: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BoundedPaginator, "MAX_ROWS", 1)
    page = operator.get(reverse("admin:jobs_page_changelist"))
    assert page.context["cl"].result_count == 1
    assert "1+ page" in page.content.decode()


def test_pages_are_filtered_by_whether_a_person_must_check_them(operator: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    first, second = desk.pages(job)
    finish_page(desk.claimed(first), WorkOutput({"needs_review": True, "quality": 0.414}, Units(pages=1)))
    desk.finish(second)
    pages = reverse("admin:jobs_page_changelist")

    def found(choice: str) -> list[int]:
        listed = operator.get(pages, {"q": str(job.id), "needs_review": choice}).context["cl"].result_list
        return [page.number for page in listed]

    assert (found("yes"), found("no")) == ([1], [2])
    assert "0.41" in operator.get(pages, {"q": str(job.id), "needs_review": "yes"}).content.decode()


def test_no_filter_counts_the_rows_of_each_choice(operator: Client, full: Desk) -> None:
    page = operator.get(reverse("admin:jobs_job_changelist"), {"_facets": "True"})
    assert page.context["cl"].add_facets is False


@pytest.fixture
def found(operator: Client) -> Callable[[str, str], set[str]]:
    def find(model: str, term: str) -> set[str]:
        answer = operator.get(reverse(f"admin:{model}_changelist"), {"q": term})
        return {str(row.pk) for row in answer.context["cl"].result_list}

    return find


def test_jobs_are_found_by_names_and_ids_of_what_they_belong_to(
    found: Callable[[str, str], set[str]], desk: Desk
) -> None:
    job = desk.submit(pages=2)
    assert job.document is not None
    name, member = unique("Scan"), unique("member")
    desk.sql(f"UPDATE jobs_document SET name = '{name}.pdf' WHERE id = %s", job.document.pk)
    with operator_work():
        tenant = Tenant.objects.get(pk=desk.identity.tenant_id)
        person = User.objects.create_user(f"{member}@example.com")
        Membership.objects.create(tenant=tenant, user=person)
    assert found("jobs_job", str(job.pk)) == {str(job.pk)}
    assert found("jobs_job", str(job.document.pk)) == {str(job.pk)}
    assert found("jobs_job", name.lower()) == {str(job.pk)}
    for term in (tenant.name.upper(), f"{member}@Example.com", str(tenant.pk)):
        assert str(job.pk) in found("jobs_job", term)
    assert found("jobs_job", "nothing is called so") == set()


def test_a_range_of_time_shows_what_was_accepted_in_it(operator: Client, desk: Desk) -> None:
    def shown(first: datetime, last: datetime) -> int:
        asked = {"tenant__id__exact": str(desk.identity.tenant_id)}
        for end, moment in (("from", first), ("to", last)):
            asked |= {
                f"created_at_{end}_0": f"{moment:%Y-%m-%d}",
                f"created_at_{end}_1": f"{moment:%H:%M:%S}",
            }
        return int(operator.get(reverse("admin:jobs_job_changelist"), asked).context["cl"].result_count)

    desk.submit()
    desk.submit()
    now, hour = datetime.now(UTC), timedelta(hours=1)
    assert shown(now - hour, now + hour) == 2
    assert shown(now - 2 * hour, now - hour) == 0


@pytest.mark.parametrize(
    ("day", "hour"), [("20.11.2026", ""), ("garbage", ""), ("2026-11-20", "noon"), ("2026-02-30", "")]
)
def test_what_is_no_moment_is_said_above_the_list_as_it_was(operator: Client, desk: Desk, day: str, hour: str) -> None:
    desk.submit()
    asked = {"created_at_from_0": day, "created_at_from_1": hour, "q": str(desk.identity.tenant_id)}
    answer = operator.get(reverse("admin:jobs_job_changelist"), asked)
    assert answer.status_code == 200
    assert answer.context["cl"].result_count == 1
    assert answer.content.decode().count(f"“{day} {hour or '00:00'}” is not a valid date and time") == 1


def test_a_jobs_page_tells_where_its_pages_ran_its_log_and_its_retries(operator: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    claim = desk.claim(desk.pages(job)[0], "worker-of-this-test")
    assert claim is not None
    fail_page(claim, Failure("model_timeout", "It took too long."), may_retry=False)
    cancel_job(identity=desk.identity, job_id=job.id)
    again = retry_job(identity=desk.identity, job_id=job.id)
    page = operator.get(reverse("admin:jobs_job_change", args=[job.id])).content.decode()
    for words in ("worker-of-this-test", "model_timeout", "It took too long.", "page.failed", "job.canceled"):
        assert words in page
    assert reverse("admin:jobs_job_change", args=[again.id]) in page


def test_a_jobs_page_tells_how_urgent_it_is_and_why_it_waits(operator: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    desk.sql("UPDATE jobs_job SET expires_at = '2099-01-02 03:04:05Z' WHERE id = %s", job.id)
    page = operator.get(reverse("admin:jobs_job_change", args=[job.id])).content.decode()
    for words in (
        "<dd>standard</dd>",
        "2 Jan 2099, 03:04:05 UTC</time>, then it expires",
        "Waiting: no worker is running",
    ):
        assert words in page


def test_a_key_is_found_by_what_is_shown_of_it_and_by_its_name(
    found: Callable[[str, str], set[str]], tenant: CreatedTenant, desk: Desk
) -> None:
    key = tenant.key.key
    name = unique("Billing robot")
    desk.sql(f"UPDATE tenants_apikey SET name = '{name}' WHERE id = %s", key.pk)
    for term in (key.prefix, key.public_id, name.lower(), name[3:], str(key.pk)):
        assert found("tenants_apikey", term) == {str(key.pk)}, term


def test_of_a_whole_key_the_shown_part_alone_is_searched_and_said(operator: Client, tenant: CreatedTenant) -> None:
    whole = tenant.key.text
    answer = operator.get(reverse("admin:tenants_apikey_changelist"), {"q": f" {whole} "}, follow=True)
    (address, _) = answer.redirect_chain[0]
    secret = whole.removeprefix(tenant.key.key.prefix)
    assert secret not in address
    assert secret not in answer.content.decode()
    assert [row.pk for row in answer.context["cl"].result_list] == [tenant.key.key.pk]


def test_a_job_is_found_by_its_request_and_by_the_end_of_its_id(
    found: Callable[[str, str], set[str]], desk: Desk
) -> None:
    job, request = desk.submit(), uuid4().hex
    desk.sql(f"UPDATE jobs_job SET request_id = '{request}' WHERE id = %s", job.pk)
    for term in (request, str(job.pk)[-8:], f"…{str(job.pk)[-8:].upper()}"):
        assert found("jobs_job", term) == {str(job.pk)}, term


def test_the_details_of_an_event_are_words(desk: Desk) -> None:
    job = desk.submit()
    claim = desk.claim(desk.pages(job)[0], "w")
    assert claim is not None
    fail_page(claim, Failure("model_timeout", "It took too long."), may_retry=False)
    with operator_work():
        said = [details_of(event, "EUR") for event in Event.objects.filter(job=job).order_by("seq")]
    assert any("model_timeout: It took too long." in words for words in said)
    assert details_of(Event(data={"timings": {"read_ms": 3, "run_ms": 1200}}), "EUR") == "read 3 ms, run 1.2 s"
    known = {"cost_micros": 450, "cached": True, "result_at": "2026-11-27T04:43:04.499118Z"}
    assert details_of(Event(data=known), "EUR") == "cost 0.00045 €, cached, result of 27 Nov 2026, 04:43:04 UTC"
    assert not any("{" in words for words in said)


def test_a_membership_is_named_by_person_role_and_tenant(operator: Client, tenant: CreatedTenant) -> None:
    with operator_work():
        membership = Membership.objects.get(user=tenant.owner)
        assert str(membership) == f"{tenant.owner.email} as owner of {tenant.tenant.name}"
