"""The list of own fields, the page of one, and what is done there."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from jobs.dashboard.own_fields.field_views import own_field_view
from jobs.dashboard.own_fields.forms import FieldForm
from jobs.own_fields import services
from jobs.own_fields.applying import apply_fields
from jobs.own_fields.definitions import definitions_of
from jobs.own_fields.models import OwnField
from jobs.own_fields.selectors import get_own_field, own_fields
from jobs.own_fields.trials import Tried, tried
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import DomainError, NotFound
from tenants.core.ids import as_uuid
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity

DOCUMENTS = 20
"""The number of the last documents in which the fields of the list are looked for."""


@require_safe
@members_only
def field_list(request: HttpRequest, identity: Identity) -> HttpResponse:
    """Show the fields. The page is there before the last documents are looked through, which is asked for by itself."""
    identity.require("jobs:read")
    counted = "found" in request.GET
    with unit_of_work(identity):
        fields = list(own_fields())
        tries = _tries(identity, fields) if counted else {}
    views = [own_field_view(field, tries.get(field.livemode)) for field in fields]
    context = {"fields": views, "counted": counted, "may_write": "jobs:write" in identity.scopes}
    return render(request, "jobs/own_fields/field_list.html", context)


def _tries(identity: Identity, fields: list[OwnField]) -> dict[bool, list[Tried]]:
    """Return what all fields of each mode find in the last documents."""
    return {
        mode: tried(definitions_of(identity.tenant_id, livemode=mode), livemode=mode, documents=DOCUMENTS)
        for mode in {field.livemode for field in fields}
    }


@require_http_methods(["GET", "HEAD", "POST"])
@members_only
def field_page(request: HttpRequest, identity: Identity, field_id: str) -> HttpResponse:
    identity.require("jobs:write" if request.method == "POST" else "jobs:read")
    field = _found(identity, field_id)
    form = FieldForm(request.POST or None, initial=_initial(field), label_suffix="")
    refusal = ""
    if request.method == "POST" and form.is_valid():
        try:
            services.change_field(identity=identity, name=field_id, **form.settings)
            messages.success(request, _("Field saved."))
            return redirect("field", field_id)
        except DomainError as refused:
            refusal = refused.detail
    context = {
        "field": own_field_view(field),
        "form": form,
        "refusal": refusal,
        "may_write": "jobs:write" in identity.scopes,
    }
    return render(request, "jobs/own_fields/field_page.html", context, status=422 if request.method == "POST" else 200)


def _initial(field: OwnField) -> dict[str, str]:
    lists = {"labels": "\n".join(field.labels), "classes": ", ".join(field.classes)}
    return {"title": field.title, "type": field.type, "place": field.place, **lists}


@require_POST
@members_only
def delete(request: HttpRequest, identity: Identity, field_id: str) -> HttpResponse:
    identity.require("jobs:write")
    _found(identity, field_id)
    services.delete_field(identity=identity, name=field_id)
    messages.success(request, _("Field deleted."))
    return redirect("field-list")


@require_POST
@members_only
def delete_one_example(request: HttpRequest, identity: Identity, field_id: str, example_id: str) -> HttpResponse:
    identity.require("jobs:write")
    try:
        services.delete_example(identity=identity, name=field_id, example_id=example_id)
        messages.success(request, _("Example deleted."))
    except NotFound as missing:
        raise Http404(missing.detail) from missing
    except DomainError as refused:
        messages.error(request, refused.detail)
    return redirect("field", field_id)


@require_POST
@members_only
def apply_piece(request: HttpRequest, identity: Identity) -> HttpResponse:
    """Look for the fields in a piece of the documents that were read before. The answer asks for the next piece."""
    identity.require("jobs:write")
    applied = apply_fields(identity=identity, after=as_uuid(request.POST.get("after", "")))
    context = {
        "jobs": _number(request, "jobs") + applied.jobs,
        "changed": _number(request, "changed") + applied.changed,
        "cursor": applied.cursor,
    }
    return render(request, "jobs/own_fields/applied.html", context)


def _number(request: HttpRequest, name: str) -> int:
    text = request.POST.get(name, "0")
    return int(text) if text.isdecimal() and text.isascii() and len(text) <= 9 else 0


def _found(identity: Identity, field_id: str) -> OwnField:
    """Return a field. One of another tenant does not exist."""
    try:
        with unit_of_work(identity):
            return get_own_field(field_id)
    except NotFound as missing:
        raise Http404(missing.detail) from missing
