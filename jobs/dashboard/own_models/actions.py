"""The actions on the pages of an account's own models. Each returns to the page on which it was chosen."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from inference.registry.aliases import delete_alias, move_alias, roll_back
from inference.registry.errors import AliasNotFound, ModelNotFound, TaskNotFound, VariantNotFound, VersionNotFound
from inference.registry.orders import order_optimization
from inference.registry.references import CURRENT
from inference.registry.tasks.services import cancel_task
from inference.registry.uploads import ModelDescription
from inference.registry.variants import refuse_variant, use_variant
from inference.registry.versions import change_model, delete_model, delete_version, describe_version, retire_version
from jobs.dashboard.own_models.views import shown_model, shown_version
from tenants.core.errors import DomainError
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity

_MISSING = (ModelNotFound, VersionNotFound, AliasNotFound, VariantNotFound, TaskNotFound)
Given = Mapping[str, str]
SHOWN = "shown-"
"""The beginning of the fields with the version of each alias on the page, before the name of the alias."""


@require_POST
@members_only
def model_action(request: HttpRequest, identity: Identity, model: str, action: str) -> HttpResponse:
    identity.require("models:write")
    identity.require_model(model)
    chosen = ACTIONS[action]
    on_version = request.POST.get("page") == "version"
    try:
        done = chosen.act(identity, model, request.POST)
    except _MISSING as missing:
        raise Http404(missing.detail) from missing
    except DomainError as refusal:
        if on_version:
            return shown_version(request, identity, model, _number(request.POST), refusal)
        return shown_model(request, identity, model, refusal)
    messages.success(request, done)
    if chosen.ends_model:
        return redirect("model-list")
    if chosen.to_version or (on_version and not chosen.to_model):
        return redirect("own-version", model, _number(request.POST))
    return redirect("own-model", model)


def _number(given: Given, name: str = "version") -> int:
    text = given.get(name, "")
    return int(text) if text.isdecimal() and text.isascii() and len(text) <= 9 else 0


def _move(identity: Identity, model: str, given: Given) -> str:
    alias, number = _alias(given), _number(given)
    if_version = _shown_version(given, alias)
    move_alias(owner=identity.tenant_id, model=model, alias=alias, number=number, if_version=if_version)
    return _("%(alias)s is version %(number)s now.") % {"alias": alias, "number": number}


def _alias(given: Given) -> str:
    return given.get("alias", CURRENT).strip()


def _shown_version(given: Given, alias: str) -> int | None:
    """Return the version that the alias had when the page was shown, or None if there was no such alias."""
    return _number(given, f"{SHOWN}{alias}") or None


def _roll_back(identity: Identity, model: str, given: Given) -> str:
    alias = _alias(given)
    if_version = _shown_version(given, alias)
    move = roll_back(owner=identity.tenant_id, model=model, alias=alias, if_version=if_version)
    number = move.version.number if move.version else 0
    return _("%(alias)s is version %(number)s again.") % {"alias": move.alias, "number": number}


def _delete_alias(identity: Identity, model: str, given: Given) -> str:
    alias = _alias(given)
    delete_alias(owner=identity.tenant_id, model=model, alias=alias)
    return _("The alias %(alias)s is deleted.") % {"alias": alias}


def _optimize(identity: Identity, model: str, given: Given) -> str:
    order_optimization(owner=identity.tenant_id, model=model, number=_number(given))
    return _("Faster variants are being made and measured. This takes some minutes.")


def _use(identity: Identity, model: str, given: Given) -> str:
    alias = _alias(given)
    version = use_variant(
        owner=identity.tenant_id,
        model=model,
        number=_number(given),
        variant_id=given.get("variant", ""),
        alias=alias,
        if_version=_shown_version(given, alias),
    )
    return _("%(alias)s is version %(number)s now, which runs this variant.") % {
        "alias": alias,
        "number": version.number,
    }


def _refuse(identity: Identity, model: str, given: Given) -> str:
    refuse_variant(owner=identity.tenant_id, model=model, number=_number(given), variant_id=given.get("variant", ""))
    return _("Variant refused.")


def _cancel(identity: Identity, model: str, given: Given) -> str:
    cancel_task(owner=identity.tenant_id, model=model, task_id=given.get("task", ""))
    return _("Canceling.")


def _pause(identity: Identity, model: str, _given: Given) -> str:
    change_model(owner=identity.tenant_id, model=model, paused=True)
    return _("Paused: new calls are refused until you resume the model.")


def _resume(identity: Identity, model: str, _given: Given) -> str:
    change_model(owner=identity.tenant_id, model=model, paused=False)
    return _("The model takes calls again.")


def _resume_version(identity: Identity, model: str, given: Given) -> str:
    number = _number(given)
    describe_version(owner=identity.tenant_id, model=model, number=number, description=ModelDescription(), resume=True)
    return _("Version %(number)s runs again.") % {"number": number}


def _retire(identity: Identity, model: str, given: Given) -> str:
    version = retire_version(owner=identity.tenant_id, model=model, number=_number(given))
    return _("Version %(number)s is retired.") % {"number": version.number}


def _describe(identity: Identity, model: str, given: Given) -> str:
    number = _number(given)
    described = ModelDescription(description=_text(given, "description"), card=_text(given, "card"))
    describe_version(owner=identity.tenant_id, model=model, number=number, description=described)
    return _("Saved.")


def _text(given: Given, name: str) -> str | None:
    """Return a text of the form with the line breaks of Unix, or None without the field."""
    return given[name].replace("\r\n", "\n") if name in given else None


def _delete_version(identity: Identity, model: str, given: Given) -> str:
    number = _number(given)
    delete_version(owner=identity.tenant_id, model=model, number=number)
    return _("Version %(number)s is deleted.") % {"number": number}


def _delete(identity: Identity, model: str, _given: Given) -> str:
    delete_model(owner=identity.tenant_id, model=model)
    return _("The model %(name)s is deleted.") % {"name": model}


@dataclass(frozen=True)
class Action:
    act: Callable[[Identity, str, Given], str]
    to_version: bool = False
    """Set to show the version's page afterwards, wherever it was chosen."""
    to_model: bool = False
    """Set to show the model's page afterwards."""
    ends_model: bool = False


ACTIONS: Mapping[str, Action] = {
    "move": Action(_move),
    "rollback": Action(_roll_back),
    "delete-alias": Action(_delete_alias),
    "optimize": Action(_optimize, to_version=True),
    "use": Action(_use, to_model=True),
    "refuse": Action(_refuse, to_version=True),
    "cancel": Action(_cancel),
    "pause": Action(_pause),
    "resume": Action(_resume),
    "resume-version": Action(_resume_version),
    "describe": Action(_describe, to_version=True),
    "retire": Action(_retire),
    "delete-version": Action(_delete_version, to_model=True),
    "delete": Action(_delete, ends_model=True),
}
