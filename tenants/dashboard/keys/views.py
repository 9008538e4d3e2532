"""The dashboard of keys: the list, and the creation, replacement and revocation of a key."""

from collections.abc import Callable
from typing import Concatenate, ParamSpec

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from tenants.api_keys.models import ApiKey
from tenants.api_keys.selectors import key_for_listing, keys_for_listing
from tenants.api_keys.services import (
    RESTRICTIONS,
    CreatedKey,
    create_key,
    keep_key_to,
    revoke_key,
    rotate_key,
)
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import TooManyKeys
from tenants.dashboard.keys.forms import KeyForm, RestrictionForm, RotationForm
from tenants.dashboard.keys.key_view import first_call, key_view, key_views
from tenants.dashboard.keys.scope_texts import MEANINGS
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity

P = ParamSpec("P")
read_or_send = require_http_methods(["GET", "HEAD", "POST"])


@require_safe
@members_only
def key_list(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("keys:read")
    with unit_of_work(identity.tenant_id):
        keys = key_views(keys_for_listing(), timezone.now())
    context = {
        "working": [key for key in keys if key["works"]],
        "ended": [key for key in keys if not key["works"]],
        "may_write": "keys:write" in identity.scopes,
    }
    return render(request, "tenants/keys/key_list.html", context)


@read_or_send
@members_only
def new_key(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("keys:write")
    form = KeyForm(request.POST or None, label_suffix="", may=identity.scopes)
    if request.method == "POST" and form.is_valid():
        try:
            return _shown_once(request, _make(form, identity))
        except TooManyKeys as refusal:
            form.add_error(None, refusal.detail)
    context = {
        "form": form,
        "presets": form.presets,
        "meanings": {scope: MEANINGS[scope] for scope in MEANINGS if scope in identity.scopes},
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "tenants/keys/new_key.html", context, status=status)


def _make(form: KeyForm, identity: Identity) -> CreatedKey:
    identity.require_all(form.chosen_scopes)
    with unit_of_work(identity.tenant_id):
        return create_key(
            tenant_id=identity.tenant_id,
            name=form.cleaned_data["name"],
            scopes=form.chosen_scopes,
            livemode=form.cleaned_data["mode"] == "live",
            expires_at=form.expires_at,
            created_by=identity.user_id,
            **form.restrictions,
        )


def _of_a_key(
    view: Callable[[HttpRequest, Identity, ApiKey], HttpResponse],
) -> Callable[Concatenate[HttpRequest, Identity, ...], HttpResponse]:
    """Find the key that the URL names. A key of another tenant is handled like a key that never existed."""

    def for_key(request: HttpRequest, identity: Identity, key_id: str) -> HttpResponse:
        identity.require("keys:write")
        with unit_of_work(identity.tenant_id):
            key = key_for_listing(key_id)
        if key is None:
            raise Http404("This key does not exist.")
        return view(request, identity, key)

    return for_key


@read_or_send
@members_only
@_of_a_key
def rotate(request: HttpRequest, identity: Identity, key: ApiKey) -> HttpResponse:
    identity.require_all(key.scopes)
    form = RotationForm(request.POST or None, label_suffix="")
    if request.method == "POST" and form.is_valid():
        try:
            with unit_of_work(identity.tenant_id):
                made = rotate_key(key_id=key.id, overlap=form.chosen_overlap, created_by=identity.user_id)
        except TooManyKeys as refusal:
            return _nothing_done(request, f"{refusal.detail} Or rotate with “Stops immediately”.")
        if made is None:
            return _nothing_done(request, f"“{key.name}” was already replaced, or no longer works.")
        return _shown_once(request, made, old=key)
    context = {"key": key_view(key, timezone.now()), "form": form}
    return render(request, "tenants/keys/rotate.html", context)


def _nothing_done(request: HttpRequest, why: str) -> HttpResponse:
    messages.error(request, f"{why} Nothing was changed.")
    return redirect("key-list")


@read_or_send
@members_only
@_of_a_key
def keep_to(request: HttpRequest, identity: Identity, key: ApiKey) -> HttpResponse:
    identity.require_all(key.scopes)
    written = {name: ", ".join(getattr(key, name)) for name in RESTRICTIONS}
    form = RestrictionForm(request.POST or None, label_suffix="", initial=written)
    if request.method == "POST" and form.is_valid():
        with unit_of_work(identity.tenant_id):
            kept = keep_key_to(key_id=key.id, **form.restrictions)
        if kept is None:
            return _nothing_done(request, f"“{key.name}” no longer works.")
        messages.success(request, f"“{key.name}” is restricted. This takes effect within a second.")
        return redirect("key-list")
    context = {"key": key_view(key, timezone.now()), "form": form}
    status = 422 if request.method == "POST" else 200
    return render(request, "tenants/keys/keep_to.html", context, status=status)


@read_or_send
@members_only
@_of_a_key
def revoke(request: HttpRequest, identity: Identity, key: ApiKey) -> HttpResponse:
    if request.method == "POST":
        with unit_of_work(identity.tenant_id):
            done = revoke_key(key_id=key.id)
        if done:
            messages.success(request, f"“{key.name}” was revoked. It stops working within a second.")
        else:
            messages.info(request, f"“{key.name}” was already revoked.")
        return redirect("key-list")
    return render(request, "tenants/keys/revoke.html", {"key": key_view(key, timezone.now())})


def _shown_once(request: HttpRequest, made: CreatedKey, old: ApiKey | None = None) -> HttpResponse:
    """Respond to the POST itself. The key is stored nowhere, so it cannot be shown again."""
    if old is not None:
        with unit_of_work(made.key.tenant_id):
            old.refresh_from_db()
    now = timezone.now()
    context = {
        "key": key_view(made.key, now),
        "text": made.text,
        "call": first_call(made, settings.MAAS_PUBLIC_URL),
        "old": key_view(old, now, replaced=True) if old else None,
    }
    return render(request, "tenants/keys/shown_once.html", context)
