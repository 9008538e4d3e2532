"""Fields that are not saved yet: pointed at on a page, tried on the last documents, and then saved."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from jobs.core.errors import JobErased
from jobs.dashboard.own_fields.field_views import tried_views
from jobs.dashboard.own_fields.forms import NewFieldForm, settings_of, spots_of
from jobs.dashboard.own_fields.pointing import PointingView, pointing_view
from jobs.own_fields import services
from jobs.own_fields.drafts import draft, saved
from jobs.own_fields.selectors import own_fields
from jobs.own_fields.settings import checked_settings
from jobs.own_fields.spots import Seen, seen_at
from jobs.own_fields.trials import tried
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import DomainError, NotFound
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity

DOCUMENTS = 20
"""The number of the last documents on which a field is tried."""


@require_http_methods(["GET", "HEAD", "POST"])
@members_only
def new_field(request: HttpRequest, identity: Identity) -> HttpResponse:
    """Show a page to point at, or a form alone without a document, and save what the form has."""
    identity.require("jobs:write")
    values = request.POST if request.method == "POST" else request.GET
    form = NewFieldForm(request.POST or None, label_suffix="")
    refusal = ""
    if request.method == "POST" and form.is_valid():
        try:
            spots = spots_of(request.POST)
            field = services.create_field(identity=identity, settings=checked_settings(**form.settings), spots=spots)
            messages.success(request, _("Field saved. It is looked for in every document from now on."))
            return redirect("field", field.id)
        except NotFound as missing:
            raise Http404(missing.detail) from missing
        except DomainError as refused:
            refusal = refused.detail
    page = _page(identity, values.get("job", ""), values.get("page", "1"))
    context: dict[str, Any] = {"form": form, "page": page, "refusal": refusal, "box": values.get("box", "")}
    if page is not None and request.method == "GET":
        context["form"] = None
    status = 422 if request.method == "POST" else 200
    return render(request, "jobs/own_fields/new_field.html", context, status=status)


def _page(identity: Identity, job_id: str, number: str) -> PointingView | None:
    """Return the page to point at. It is None without a job, or if there is nothing to point at."""
    if not job_id:
        return None
    if not number.isdecimal() or not number.isascii() or len(number) > 9:
        raise Http404(f"{number[:20]!r} is not a page number.")
    try:
        with unit_of_work(identity):
            return pointing_view(job_id, int(number))
    except NotFound as missing:
        raise Http404(missing.detail) from missing
    except JobErased as erased:
        raise Http404(erased.detail) from erased


@require_POST
@members_only
def point_at(request: HttpRequest, identity: Identity) -> HttpResponse:
    """Return the form for the value that was pointed at, filled in with what it shows."""
    identity.require("jobs:write")
    context: dict[str, Any] = {"box": request.POST.get("box", "")}
    try:
        spots = spots_of(request.POST)
        if not spots:
            return render(request, "jobs/own_fields/draft.html", {"unread": _("Point at a value first.")})
        with unit_of_work(identity):
            seen = seen_at(spots[0])
            context["fields"] = list(own_fields().filter(livemode=seen.job.livemode))
    except NotFound as missing:
        raise Http404(missing.detail) from missing
    except DomainError as refused:
        return render(request, "jobs/own_fields/draft.html", {"unread": refused.detail})
    context |= {"seen": seen, "form": NewFieldForm(initial=_initial(request, seen), label_suffix="")}
    return render(request, "jobs/own_fields/draft.html", context)


def _initial(request: HttpRequest, seen: Seen) -> dict[str, str]:
    """Return the values of the form. What a person typed before they pointed again stays."""
    found = seen.pointed
    typed = {name: request.POST[name] for name in ("title", "name", "classes") if request.POST.get(name)}
    title = found.label.strip(" :.") or _("New field")
    return {"title": title, "labels": found.label, "type": found.type, "place": found.place, **typed}


@require_POST
@members_only
def try_draft(request: HttpRequest, identity: Identity) -> HttpResponse:
    """Return what the form as it is finds in the last documents."""
    identity.require("jobs:read")
    settings = settings_of(request.POST)
    settings.pop("title", None)
    if not settings["labels"] and not request.POST.get("box") and not request.POST.get("field"):
        return render(request, "jobs/own_fields/trial.html", {"unlabeled": True})
    try:
        with unit_of_work(identity):
            base = saved(request.POST["field"]) if request.POST.get("field") else None
            wanted = draft(settings, spots_of(request.POST), base)
            found = tried([wanted.field], livemode=wanted.livemode, documents=DOCUMENTS)
    except NotFound as missing:
        raise Http404(missing.detail) from missing
    except DomainError as refused:
        return render(request, "jobs/own_fields/trial.html", {"refusal": refused.detail})
    context = {
        "documents": tried_views(found),
        "found": sum(bool(one.values) for one in found),
        "without": sum(not one.values for one in found),
        "in_class": sum(one.in_class for one in found),
    }
    return render(request, "jobs/own_fields/trial.html", context)


@require_POST
@members_only
def add_to_field(request: HttpRequest, identity: Identity) -> HttpResponse:
    """Save the value that was pointed at as another example of a field."""
    identity.require("jobs:write")
    name = request.POST.get("field", "")
    if not name:
        raise Http404("No field was chosen.")
    try:
        for spot in spots_of(request.POST):
            services.add_example(identity=identity, name=name, spot=spot)
            messages.success(request, _("Example added."))
    except NotFound as missing:
        raise Http404(missing.detail) from missing
    except DomainError as refused:
        messages.error(request, refused.detail)
    return redirect("field", name)
