"""The pages of an account's own models: the upload, and a model with its versions, aliases and variants."""

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from inference.model_host.isolation_status import isolation_status
from inference.registry.aliases import move_alias, roll_back
from inference.registry.errors import AliasNotFound, ModelNotFound, TaskNotFound, VariantNotFound, VersionNotFound
from inference.registry.model_limits import limits_of
from inference.registry.orders import order_optimization
from inference.registry.tasks.services import cancel_task
from inference.registry.variants import refuse_variant, use_variant
from inference.registry.versions import delete_model, delete_version, retire_version
from jobs.dashboard.own_models.model_page import OwnModel, own_model
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import DomainError
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity

_MISSING = (ModelNotFound, VersionNotFound, AliasNotFound, VariantNotFound, TaskNotFound)
Given = Mapping[str, str]


@require_safe
@members_only
def new_model(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("models:write")
    limits = limits_of(identity.tenant_id)
    status = isolation_status()
    context = {
        "max_bytes": limits.file_bytes,
        "missing": sorted(status.missing.items()),
        "name": request.GET.get("model", ""),
    }
    return render(request, "jobs/own_models/new_model.html", context)


@require_safe
@members_only
def model_page(request: HttpRequest, identity: Identity, model: str) -> HttpResponse:
    identity.require("models:read")
    return _shown(request, identity, model)


def _shown(request: HttpRequest, identity: Identity, model: str, refusal: DomainError | None = None) -> HttpResponse:
    try:
        with unit_of_work(identity):
            shown: OwnModel = own_model(identity.tenant_id, model)
    except ModelNotFound as missing:
        raise Http404(missing.detail) from missing
    may_write = "models:write" in identity.scopes
    context = {"model": shown, "refusal": refusal, "may_write": may_write}
    return render(request, "jobs/own_models/model.html", context, status=409 if refusal else 200)


@require_POST
@members_only
def model_action(request: HttpRequest, identity: Identity, model: str, action: str) -> HttpResponse:
    identity.require("models:write")
    identity.require_model(model)
    try:
        done = ACTIONS[action](identity, model, request.POST)
    except _MISSING as missing:
        raise Http404(missing.detail) from missing
    except DomainError as refusal:
        return _shown(request, identity, model, refusal)
    messages.success(request, done)
    return redirect("model-list") if action == "delete" else redirect("own-model", model)


def _number(given: Given, name: str = "version") -> int:
    text = given.get(name, "")
    return int(text) if text.isdecimal() and text.isascii() and len(text) <= 9 else 0


def _move(identity: Identity, model: str, given: Given) -> str:
    alias, number = given.get("alias", "current"), _number(given)
    options: dict[str, Any] = {"if_version": _number(given, "if_version")} if given.get("if_version") else {}
    move_alias(owner=identity.tenant_id, model=model, alias=alias, number=number, **options)
    return _("%(alias)s is version %(number)s now.") % {"alias": alias, "number": number}


def _roll_back(identity: Identity, model: str, given: Given) -> str:
    move = roll_back(owner=identity.tenant_id, model=model, alias=given.get("alias", "current"))
    number = move.version.number if move.version else 0
    return _("%(alias)s is version %(number)s again.") % {"alias": move.alias, "number": number}


def _optimize(identity: Identity, model: str, given: Given) -> str:
    order_optimization(owner=identity.tenant_id, model=model, number=_number(given))
    return _("Faster variants are being made and measured. This takes some minutes.")


def _use(identity: Identity, model: str, given: Given) -> str:
    version = use_variant(
        owner=identity.tenant_id, model=model, number=_number(given), variant_id=given.get("variant", "")
    )
    return _("Version %(number)s runs this variant and answers now.") % {"number": version.number}


def _refuse(identity: Identity, model: str, given: Given) -> str:
    refuse_variant(owner=identity.tenant_id, model=model, number=_number(given), variant_id=given.get("variant", ""))
    return _("Variant refused.")


def _cancel(identity: Identity, model: str, given: Given) -> str:
    cancel_task(owner=identity.tenant_id, model=model, task_id=given.get("task", ""))
    return _("Canceling.")


def _retire(identity: Identity, model: str, given: Given) -> str:
    version = retire_version(owner=identity.tenant_id, model=model, number=_number(given))
    return _("Version %(number)s is retired.") % {"number": version.number}


def _delete_version(identity: Identity, model: str, given: Given) -> str:
    delete_version(owner=identity.tenant_id, model=model, number=_number(given))
    return _("Version deleted.")


def _delete(identity: Identity, model: str, _given: Given) -> str:
    delete_model(owner=identity.tenant_id, model=model)
    return _("Model deleted.")


ACTIONS: Mapping[str, Callable[[Identity, str, Given], str]] = {
    "move": _move,
    "rollback": _roll_back,
    "optimize": _optimize,
    "use": _use,
    "refuse": _refuse,
    "cancel": _cancel,
    "retire": _retire,
    "delete-version": _delete_version,
    "delete": _delete,
}
