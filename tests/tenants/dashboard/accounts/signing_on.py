"""A browser's way to an OpenID provider and back."""

import html
import re
from collections.abc import Callable

import httpx
from django.http import HttpResponse
from django.test import Client

from tenants.accounts.models import Tenant
from tenants.audit.models import AuditEntry
from tenants.core.db.unit_of_work import operator_work

OWN_SERVICE = "http://127.0.0.1:8000"


def away(client: Client, path: str = "/sign-in/with/company", **form: str) -> str:
    """Return where the page leads that sends people to the provider."""
    answer = client.post(path, form)
    assert answer.status_code == 200, answer.content
    found = re.search(r'http-equiv="refresh" content="0; url=([^"]+)"', answer.content.decode())
    assert found is not None
    return html.unescape(found[1])


def back(client: Client, authorize: str, change: Callable[[str], str] = str) -> HttpResponse:
    """Follow the redirects as the browser does: to the provider, and from there to where the provider sends it."""
    sent = httpx.get(authorize, verify=False).headers["Location"]
    assert sent.startswith(f"{OWN_SERVICE}/sign-in/with/company/back?")
    return client.get(change(sent).removeprefix(OWN_SERVICE))  # type: ignore[return-value]


def signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def actions(tenant: Tenant) -> list[str]:
    with operator_work():
        found = AuditEntry.objects.filter(tenant=tenant, action__startswith="sign_on.").order_by("id")
        return list(found.values_list("action", flat=True))
