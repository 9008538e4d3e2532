"""The pages of an account's own models: the upload, a model with its aliases, a version and the history."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from inference.model_host.isolation_status import isolation_status
from inference.registry.errors import ModelNotFound, VersionNotFound
from inference.registry.references import CURRENT, is_alias
from jobs.core.models.jobs import LONGEST_URL
from jobs.dashboard.base.wording import own_model_cost
from jobs.dashboard.own_models.history_page import MAX_OFFSET_MINUTES, Question, history_of
from jobs.dashboard.own_models.model_page import OwnModel, own_model
from jobs.dashboard.own_models.new_model_page import new_model_page
from jobs.dashboard.own_models.version_page import OwnVersion, own_version
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import DomainError
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity

Content = dict[str, OwnModel | OwnVersion]


@require_safe
@members_only
def new_model(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("models:write")
    status = isolation_status()
    with unit_of_work(identity):
        page = new_model_page(identity.tenant_id)
    context = {
        "page": page,
        "missing": sorted(status.missing.items()),
        "name": request.GET.get("model", ""),
        "cost": own_model_cost(identity.prices),
        "longest_url": LONGEST_URL,
    }
    return render(request, "jobs/own_models/new_model.html", context)


@require_safe
@members_only
def model_page(request: HttpRequest, identity: Identity, model: str) -> HttpResponse:
    identity.require("models:read")
    return shown_model(request, identity, model)


@require_safe
@members_only
def version_page(request: HttpRequest, identity: Identity, model: str, number: int) -> HttpResponse:
    identity.require("models:read")
    return shown_version(request, identity, model, number)


@require_safe
@members_only
def history_page(request: HttpRequest, identity: Identity, model: str) -> HttpResponse:
    identity.require("models:read")
    try:
        with unit_of_work(identity):
            history = history_of(identity.tenant_id, model, _question(request))
    except ModelNotFound as missing:
        raise Http404(missing.detail) from missing
    return render(request, "jobs/own_models/history.html", {"history": history})


def shown_model(
    request: HttpRequest, identity: Identity, model: str, refusal: DomainError | None = None
) -> HttpResponse:
    try:
        with unit_of_work(identity):
            context: Content = {"model": own_model(identity.tenant_id, model)}
    except ModelNotFound as missing:
        raise Http404(missing.detail) from missing
    return _rendered(
        request, identity, "jobs/own_models/model.html", context, refusal, cost=own_model_cost(identity.prices, model)
    )


def shown_version(
    request: HttpRequest, identity: Identity, model: str, number: int, refusal: DomainError | None = None
) -> HttpResponse:
    try:
        with unit_of_work(identity):
            context: Content = {"version": own_version(identity.tenant_id, model, number)}
    except (ModelNotFound, VersionNotFound) as missing:
        raise Http404(missing.detail) from missing
    return _rendered(request, identity, "jobs/own_models/version.html", context, refusal)


def _rendered(
    request: HttpRequest, identity: Identity, template: str, content: Content, refusal: DomainError | None, **more: str
) -> HttpResponse:
    context = {**content, **more, "refusal": refusal, "may_write": "models:write" in identity.scopes}
    return render(request, template, context, status=409 if refusal else 200)


def _question(request: HttpRequest) -> Question:
    alias, offset = request.GET.get("alias", CURRENT), request.GET.get("offset", "0")
    known = offset.removeprefix("-").isdecimal() and offset.isascii() and len(offset) <= 5
    return Question(
        alias=alias if is_alias(alias) else CURRENT,
        typed=request.GET.get("at", "")[:30],
        offset_minutes=max(-MAX_OFFSET_MINUTES, min(int(offset), MAX_OFFSET_MINUTES)) if known else 0,
    )
