"""The pages of class sets: the list, and a set with its examples, its evaluation and its versions."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from inference.class_sets.training import MAX_EXAMPLES, MIN_EXAMPLES
from jobs.class_sets.names import LONGEST_NAME, key_of
from jobs.class_sets.services import (
    add_examples,
    change_class_set,
    create_class_set,
    delete_class_set,
    remove_example,
)
from jobs.class_sets.training import train_class_set
from jobs.dashboard.base.job_view import may_write
from jobs.dashboard.classes.selectors import listed_sets, shown_set, tried
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import DomainError, NotFound
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity

LIMITS = {"least": MIN_EXAMPLES, "most": MAX_EXAMPLES, "longest_name": LONGEST_NAME}


@require_http_methods(["GET", "HEAD", "POST"])
@members_only
def class_list(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("jobs:write" if request.method == "POST" else "jobs:read")
    refusal = None
    if request.method == "POST":
        try:
            made = create_class_set(
                identity=identity, name=request.POST.get("name", ""), title=request.POST.get("title", "")
            )
        except DomainError as refused:
            refusal = refused
        else:
            return redirect("class-set", made.name)
    with unit_of_work(identity):
        sets = listed_sets(identity)
    context = {"sets": sets, "refusal": refusal, "given": request.POST, "may_write": may_write(identity), **LIMITS}
    return render(request, "jobs/classes/class_list.html", context, status=400 if refusal else 200)


@require_safe
@members_only
def class_set_page(request: HttpRequest, identity: Identity, class_set: str) -> HttpResponse:
    identity.require("jobs:read")
    return _shown(request, identity, class_set)


def _shown(request: HttpRequest, identity: Identity, name: str, refusal: DomainError | None = None) -> HttpResponse:
    try:
        with unit_of_work(identity):
            shown = shown_set(identity, name)
            tries = tried(identity, name) if shown.key and "try" in request.GET else None
    except NotFound as missing:
        raise Http404(missing.detail) from missing
    context = {"set": shown, "tries": tries, "refusal": refusal, "may_write": may_write(identity), **LIMITS}
    return render(request, "jobs/classes/class_set.html", context, status=409 if refusal else 200)


@require_POST
@members_only
def class_set_action(request: HttpRequest, identity: Identity, class_set: str, action: str) -> HttpResponse:
    identity.require("jobs:write")
    try:
        done = _act(identity, class_set, action, request.POST)
    except NotFound as missing:
        raise Http404(missing.detail) from missing
    except DomainError as refusal:
        return _shown(request, identity, class_set, refusal)
    messages.success(request, done)
    return redirect("class-list") if action == "delete" else redirect("class-set", class_set)


ACTIONS = ("train", "remove", "serve", "default", "delete")


def _act(identity: Identity, name: str, action: str, given: Any) -> str:
    """Do what a button of the page says, and return the message."""
    match action:
        case "train":
            made = train_class_set(identity=identity, name=name)
            percent = round(100 * made.evaluation["accuracy"])
            return _("Trained as %(version)s: it knows %(percent)s %% of the examples from the others.") % {
                "version": key_of(name, made.number),
                "percent": percent,
            }
        case "remove":
            remove_example(identity=identity, name=name, job_id=given.get("job", ""))
            return _("Example removed. Train again for it to count.")
        case "serve":
            number = given.get("version", "")
            number = int(number) if number.isdecimal() and number.isascii() and len(number) <= 9 else 0
            change_class_set(identity=identity, name=name, version=number)
            return _("%(version)s is used now.") % {"version": key_of(name, number)}
        case "default":
            on = change_class_set(identity=identity, name=name, default=given.get("default") == "true").default
            return _("New uploads are sorted by this set.") if on else _("New uploads are not sorted by this set.")
    delete_class_set(identity=identity, name=name)
    return _("Class set deleted.")


@require_POST
@members_only
def add_to_class(request: HttpRequest, identity: Identity) -> HttpResponse:
    """Add documents to a class: those selected in the list, which JavaScript sends, or that of a job's page."""
    identity.require("jobs:write")
    name, label = request.POST.get("class_set", ""), request.POST.get("label", "")
    jobs = request.POST.getlist("job")
    from_page = request.POST.get("from") == "page"
    try:
        add_examples(identity=identity, name=name, label=label, job_ids=jobs)
    except DomainError as refusal:
        if not from_page:
            status = 404 if isinstance(refusal, NotFound) else 400
            return JsonResponse({"code": refusal.code, "detail": refusal.detail}, status=status)
        messages.error(request, refusal.detail)
        return redirect("class-list")
    words = f"{len(jobs)} added to “{label.strip()}” of {name}."
    if from_page:
        messages.success(request, words)
        return redirect("class-set", name)
    return JsonResponse({"words": words, "outcomes": [{"job": job, "outcome": "added"} for job in jobs]})
