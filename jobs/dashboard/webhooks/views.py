"""Webhooks: the list of endpoints, the form for a new one, and the deliveries of an endpoint's messages."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from jobs.core.models.jobs import LONGEST_URL
from jobs.dashboard.webhooks.webhook_view import delivery_view, endpoint_view
from jobs.webhooks import services
from jobs.webhooks.patterns import ALL_OF_JOBS, EVENT_TYPES
from jobs.webhooks.selectors import deliveries, endpoints, get_endpoint
from jobs.webhooks.services import WithSecret
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import DomainError, NotFound
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity

_WORDS = {
    "job.succeeded": _("every page succeeded"),
    "job.partially_succeeded": _("some pages failed"),
    "job.failed": _("no page succeeded"),
    "job.canceled": _("canceled"),
    "job.expired": _("deadline passed"),
}
EVENTS = [(ALL_OF_JOBS, _("any job finished")), *((event, _WORDS[event]) for event in EVENT_TYPES)]


class EndpointForm(forms.Form):
    url = forms.CharField(
        label=_("URL"),
        max_length=LONGEST_URL,
        help_text=_("Address of your server, such as https://example.com/hooks"),
        widget=forms.TextInput(attrs={"inputmode": "url", "autocomplete": "off", "autofocus": True}),
    )
    description = forms.CharField(label=_("Description"), max_length=200, required=False)
    events = forms.MultipleChoiceField(
        choices=EVENTS,
        initial=[ALL_OF_JOBS],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Select at least one.")},
    )


Found = TypeVar("Found")
SHOWN = 50


@require_safe
@members_only
def webhook_list(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("webhooks:read")
    now = timezone.now()
    with unit_of_work(identity):
        views = [endpoint_view(endpoint, now) for endpoint in endpoints()]
    context = {"endpoints": views, "may_write": "webhooks:write" in identity.scopes}
    return render(request, "jobs/webhooks/webhook_list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@members_only
def new_webhook(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("webhooks:write")
    form = EndpointForm(request.POST or None, label_suffix="")
    if request.method == "POST" and form.is_valid():
        try:
            made = services.create_endpoint(identity=identity, **form.cleaned_data)
            return _shown_once(request, made)
        except DomainError as refusal:
            form.add_error("url", refusal.detail)
    status = 422 if request.method == "POST" else 200
    return render(request, "jobs/webhooks/new_webhook.html", {"form": form}, status=status)


@require_safe
@members_only
def webhook_page(request: HttpRequest, identity: Identity, endpoint_id: str) -> HttpResponse:
    identity.require("webhooks:read")
    now = timezone.now()
    with unit_of_work(identity):
        endpoint = _found(partial(get_endpoint, endpoint_id))
        rows = deliveries().filter(endpoint=endpoint).prefetch_related("attempts")[:SHOWN]
        context = {
            "endpoint": endpoint_view(endpoint, now),
            "deliveries": [delivery_view(delivery, now) for delivery in rows],
            "may_write": "webhooks:write" in identity.scopes,
            "shown": SHOWN,
        }
    return render(request, "jobs/webhooks/webhook_page.html", context)


@require_POST
@members_only
def webhook_rotate(request: HttpRequest, identity: Identity, endpoint_id: str) -> HttpResponse:
    identity.require("webhooks:write")
    made = _found(partial(services.rotate_secret, identity=identity, endpoint_id=endpoint_id))
    return _shown_once(request, made, rotated=True)


@require_POST
@members_only
def webhook_action(request: HttpRequest, identity: Identity, endpoint_id: str, action: str) -> HttpResponse:
    identity.require("webhooks:write")
    act, done = _ACTIONS[action]
    _do(request, partial(act, identity=identity, endpoint_id=endpoint_id), gettext(done))
    return redirect("webhook-list") if action == "delete" else redirect("webhook", endpoint_id)


@require_POST
@members_only
def webhook_replay(request: HttpRequest, identity: Identity, delivery_id: str) -> HttpResponse:
    identity.require("webhooks:write")
    act = partial(services.replay_delivery, identity=identity, delivery_id=delivery_id)
    _do(request, act, gettext("Message sent again."))
    with unit_of_work(identity):
        endpoint = deliveries().get(id=delivery_id).endpoint
    shown = endpoint.kind == endpoint.Kind.ENDPOINT and endpoint.state != endpoint.State.DELETED
    return redirect("webhook", endpoint.id) if shown else redirect("webhook-list")


_ACTIONS: Mapping[str, tuple[Callable[..., object], str]] = {
    "test": (services.send_test, gettext_noop("Test message sent. Reload this page to see the response.")),
    "enable": (partial(services.change_endpoint, enabled=True), gettext_noop("Endpoint enabled.")),
    "disable": (partial(services.change_endpoint, enabled=False), gettext_noop("Endpoint disabled.")),
    "delete": (services.delete_endpoint, gettext_noop("Endpoint deleted.")),
}
ACTIONS = tuple(_ACTIONS)


def _found(look: Callable[[], Found]) -> Found:
    """Return the object that `look` finds. An object of another tenant counts as missing."""
    try:
        return look()
    except NotFound as missing:
        raise Http404(missing.detail) from missing


def _do(request: HttpRequest, act: Callable[[], object], done: str) -> None:
    try:
        _found(act)
        messages.success(request, done)
    except DomainError as refusal:
        messages.error(request, refusal.detail)


def _shown_once(request: HttpRequest, made: WithSecret, *, rotated: bool = False) -> HttpResponse:
    """Return the response to the POST itself, because the secret is shown nowhere else."""
    context = {"endpoint": made.endpoint, "secret": made.secret, "rotated": rotated}
    return render(request, "jobs/webhooks/shown_once.html", context)
