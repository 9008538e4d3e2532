"""The pages that an operator opens: the home, every list, its filters and searches. Import it after Django is set
up.
"""

from collections.abc import Iterator
from datetime import timedelta

from django.contrib import admin
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from inference.models import ModelVersion
from jobs.core.models import Document, Job, Page
from tenants.accounts.models import Tenant
from tenants.accounts.services import create_operator
from tenants.core.db.unit_of_work import account_work, operator_work


def operator_client() -> Client:
    client = Client(SERVER_NAME="127.0.0.1")
    with account_work():
        client.force_login(create_operator(email="operator@example.com", password="correct horse"))
    return client


def addresses() -> list[tuple[str, str]]:
    with operator_work():
        return [*_pages(), *_lists(), *_filters(), *_searches()]


def _list(model: str, **asked: object) -> str:
    return reverse(f"admin:{model}_changelist", query=asked)


def _pages() -> Iterator[tuple[str, str]]:
    yield "home", reverse("admin:index")
    yield "home, its live part", reverse("admin-live")
    yield "job", reverse("admin:jobs_job_change", args=[_last(Job).pk])
    yield "page", reverse("admin:jobs_page_change", args=[_last(Page).pk])


def _lists() -> Iterator[tuple[str, str]]:
    for model in admin.site._registry:
        name = f"{model._meta.app_label}_{model._meta.model_name}"
        yield f"list {name}", _list(name)
    yield "list jobs_job, page 150", _list("jobs_job", p=150)


def _filters() -> Iterator[tuple[str, str]]:
    rare = ModelVersion.objects.get(served_model__name="rare").pk
    common = ModelVersion.objects.get(served_model__name="ocr").pk
    large, small = Tenant.objects.get(name="Tenant 1").pk, Tenant.objects.get(name="Tenant 200").pk
    since = timezone.now() - timedelta(hours=30)
    hour = {
        "created_at_from_0": f"{since:%Y-%m-%d}",
        "created_at_from_1": f"{since:%H:%M}",
        "created_at_to_0": f"{since + timedelta(hours=1):%Y-%m-%d}",
        "created_at_to_1": f"{since + timedelta(hours=1):%H:%M}",
    }
    for model in ("jobs_job", "jobs_page"):
        for state in ("queued", "running", "succeeded", "failed", "canceled", "expired"):
            yield f"{model} {state}", _list(model, state__exact=state)
        yield f"{model} of a rare version", _list(model, model_version__id__exact=rare)
        yield f"{model} of a common version", _list(model, model_version__id__exact=common)
        yield f"{model} of a large tenant", _list(model, tenant__id__exact=large)
        yield f"{model} of a small tenant", _list(model, tenant__id__exact=small)
        yield (
            f"{model} failed of a small tenant",
            _list(model, tenant__id__exact=small, state__exact="failed"),
        )
        yield (
            f"{model} failed of a rare version",
            _list(model, model_version__id__exact=rare, state__exact="failed"),
        )
        yield f"{model} with an error", _list(model, error_code="worker_lost")
        yield f"{model} with an unknown error", _list(model, error_code="never_seen")
        yield f"{model} of an hour", _list(model, **hour)
        yield f"{model} succeeded of an hour", _list(model, state__exact="succeeded", **hour)
    yield "jobs_page of a worker of days ago", _list("jobs_page", worker="worker-2")
    yield "jobs_page of an unknown worker", _list("jobs_page", worker="nobody")
    yield "jobs_job of an unknown key", _list("jobs_job", tenant__id__exact=large, api_key_id=small)
    yield "jobs_document of a small tenant", _list("jobs_document", tenant__id__exact=small)
    yield "jobs_document, images", _list("jobs_document", kind__exact="image")
    yield "jobs_document, deleted", _list("jobs_document", deleted_at__isempty=0)
    yield "usage of a small tenant", _list("tenants_usagerecord", tenant__id__exact=small)
    yield "usage of an hour", _list("tenants_usagerecord", **hour)


def _searches() -> Iterator[tuple[str, str]]:
    job, document = _last(Job), _last(Document)
    for model, term in (
        ("jobs_job", job.pk),
        ("jobs_job", job.tenant_id),
        ("jobs_job", "Tenant 17"),
        ("jobs_job", "Invoice 123"),
        ("jobs_job", "nothing like it"),
        ("jobs_page", job.pk),
        ("jobs_page", "Tenant 200"),
        ("jobs_document", document.pk),
        ("jobs_document", "Invoice 99"),
        ("jobs_document", "nothing like it"),
        ("jobs_event", job.pk),
        ("tenants_usagerecord", job.tenant_id),
    ):
        yield f"{model} search {str(term)[:18]!r}", _list(model, q=term)


def _last(model: type[Job] | type[Page] | type[Document]) -> Job | Page | Document:
    found = model.objects.order_by("-id").first()
    assert found is not None
    return found
