"""Tests of every page of the admin, opened by an operator with the operator's database role."""

import html
import re
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

from inference.models import AliasMove, ModelPool, ModelVersion, ScalingTerms, TierPool
from jobs.core import archive_states as states
from jobs.core.models.archives import Archive
from jobs.submission.services import JobRequest, submit_job
from jobs.webhooks.services import create_endpoint, send_test
from maas.ops.operator_theme import SIDEBAR
from tenants.accounts.models import Tenant, User
from tenants.admin_base.records import BoundedPaginator, FoundById
from tenants.authentication.selectors import identify_key
from tenants.billing.invoices.models import BillingDetails, Seller
from tenants.billing.ledger.models import LedgerDifference
from tenants.billing.ledger.subscriptions import subscribe
from tenants.billing.payments.models import ProviderEvent
from tenants.cells.models import CellChange, DirectoryEntry
from tenants.core.db.unit_of_work import OPERATOR, operator_work, unit_of_work
from tenants.identity.identity import Identity
from tenants.onboarding.create_tenant import create_tenant
from tenants.tiers.models import Tier
from tests.fixtures import model_version, unique
from tests.flows.invoices import issued
from tests.jobs.batches.desk import BatchDesk
from tests.jobs.conftest import Desk
from tests.maas.test_admin_actions import admitted_variant, waiting_task
from tests.tenants.billing.ledger.conftest import Purse
from tests.tenants.billing.payments.conftest import Payer
from tests.tenants.plans.selling import include, make_plan, own_price, price

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
        pool = ModelPool.objects.create(name=unique("pool"))
        ScalingTerms.objects.create(pool=pool.name)
        DirectoryEntry.objects.create(id=uuid4(), name=unique("far"), home="us", state="active")
        CellChange.objects.create(cell="eu", version=1, kind="plan", key=unique("plan"), changes="created")
        tier = Tier.objects.create(name=unique("tier"))
        TierPool.objects.create(tier=tier, priority="standard", pool=pool)
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
        if isinstance(page, FoundById) and model not in (CellChange, DirectoryEntry, LogEntry, ProviderEvent, Tenant)
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


def test_counting_ends_where_nobody_reads_on(operator: Client, full: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BoundedPaginator, "MAX_ROWS", 1)
    page = operator.get(reverse("admin:jobs_page_changelist"))
    assert page.context["cl"].result_count == 1
    assert "1+ page" in page.content.decode()


def test_no_filter_counts_the_rows_of_each_choice(operator: Client, full: Desk) -> None:
    page = operator.get(reverse("admin:jobs_job_changelist"), {"_facets": "True"})
    assert page.context["cl"].add_facets is False
