"""The steps from signing in to the first call: a key, and code that sends a sample scan and waits for its text."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from jobs.dashboard.catalog.examples import SAMPLE_NAME
from jobs.dashboard.catalog.model_view import current_of, shown_key
from jobs.dashboard.catalog.snippets.call import Call
from jobs.dashboard.catalog.snippets.languages import snippets_of
from jobs.dashboard.listing.selectors import model_choices
from tenants.api_keys.services import CreatedKey, create_key
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import TooManyKeys
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity, Scope

KEY_NAME = "Quickstart"
KEY_SCOPES: tuple[Scope, ...] = (
    "documents:write",
    "documents:read",
    "jobs:write",
    "jobs:read",
    "models:read",
)
PLACEHOLDER = "YOUR_API_KEY"


@require_http_methods(["GET", "HEAD", "POST"])
@members_only
def quickstart(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("models:read")
    made: CreatedKey | None = None
    refusal = ""
    if request.method == "POST":
        try:
            made = _make_key(identity)
        except TooManyKeys as full:
            refusal = full.detail
    call = _first_call(identity, made.text if made else PLACEHOLDER)
    context = {
        "snippets": snippets_of(call, settings.MAAS_PUBLIC_URL) if call else [],
        "key": made.text if made else "",
        "placeholder": PLACEHOLDER,
        "refusal": refusal,
        "may_make_keys": {"keys:write", *KEY_SCOPES} <= identity.scopes,
    }
    return render(request, "jobs/quickstart/quickstart.html", context, status=422 if refusal else 200)


def _make_key(identity: Identity) -> CreatedKey:
    """Make a test key. The first calls then cost nothing, and work without any credit."""
    identity.require("keys:write")
    identity.require_all(KEY_SCOPES)
    with unit_of_work(identity):
        return create_key(
            tenant_id=identity.tenant_id,
            name=KEY_NAME,
            scopes=KEY_SCOPES,
            livemode=False,
            created_by=identity.user_id,
        )


def _first_call(identity: Identity, key: str) -> Call | None:
    """Return the first call, or None if no model that takes documents is served."""
    models = model_choices(identity.tenant_id).for_documents
    if not models:
        return None
    shows = shown_key(current_of(models[0]).runtime, "document")
    return Call(models[0].name, shows, file_name=SAMPLE_NAME, sample=True, key=key)
