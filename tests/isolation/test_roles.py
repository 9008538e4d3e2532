"""Test that every page and every API address refuses what a role does not allow. A new address must be listed here."""

import re
from collections.abc import Iterator, Mapping
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from tenants.accounts.models import Membership, User
from tenants.core.db.unit_of_work import operator_work
from tenants.identity.roles import BILLING, DEVELOPER, VIEWER, scopes_of
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique

PARAMETER = re.compile(r"<(?:(\w+):)?(\w+)>")
NEEDS: Mapping[str, tuple[str, str]] = {
    "/archives": ("jobs:read", "jobs:write"),
    "/audit": ("audit:read", ""),
    "/batches": ("jobs:read", "jobs:write"),
    "/billing": ("billing:read", "billing:write"),
    "/budgets": ("billing:read", "billing:write"),
    "/classes": ("jobs:read", "jobs:write"),
    "/fields": ("jobs:read", "jobs:write"),
    "/fields/new": ("jobs:write", "jobs:write"),
    "/fields/try": ("", "jobs:read"),
    "/invitations": ("", "members:write"),
    "/jobs": ("jobs:read", "jobs:write"),
    "/jobs/<str:job_id>/erase": ("documents:write", "documents:write"),
    "/jobs/bulk": ("jobs:write", "jobs:write"),
    "/keys": ("keys:read", "keys:write"),
    "/log": ("log:read", ""),
    "/members": ("members:read", "members:write"),
    "/members/<str:membership_id>": ("members:write", "members:write"),
    "/members/<str:membership_id>/hand-over": ("account:write", "account:write"),
    "/models": ("models:read", "models:read"),
    "/own-models": ("models:read", "models:write"),
    "/own-models/new": ("models:write", "models:write"),
    "/quickstart": ("models:read", "keys:write"),
    "/sample": ("", "jobs:write"),
    "/tenant/delete": ("account:write", "account:write"),
    "/tenant/keep": ("", "account:write"),
    "/usage": ("usage:read", ""),
    "/webhooks": ("webhooks:read", "webhooks:write"),
    "/v1/archives": ("jobs:read", "jobs:write"),
    "/v1/audit": ("audit:read", ""),
    "/v1/balance": ("billing:read", ""),
    "/v1/batches": ("jobs:read", "jobs:write"),
    "/v1/cache": ("", "jobs:write"),
    "/v1/class-sets": ("jobs:read", "jobs:write"),
    "/v1/class-sets/<str:class_set>/try": ("", "jobs:read"),
    "/v1/documents": ("documents:read", "documents:write"),
    "/v1/estimate": ("", "jobs:read"),
    "/v1/events": ("jobs:read", ""),
    "/v1/fields": ("jobs:read", "jobs:write"),
    "/v1/fields/point": ("", "jobs:read"),
    "/v1/fields/try": ("", "jobs:read"),
    "/v1/files": ("documents:read", "documents:write"),
    "/v1/invoices": ("billing:read", ""),
    "/v1/jobs": ("jobs:read", "jobs:write"),
    "/v1/models": ("models:read", "models:write"),
    "/v1/operator": ("operator", "operator"),
    "/v1/payments": ("billing:read", "billing:write"),
    "/v1/search": ("jobs:read", ""),
    "/v1/schemas/result-1.json": ("", ""),
    "/v1/tickets": ("", "events:read"),
    "/v1/uploads": ("documents:read", "documents:write"),
    "/v1/usage": ("usage:read", ""),
    "/v1/webhooks": ("webhooks:read", "webhooks:write"),
    "/v1/webhooks/secret": ("webhooks:write", "webhooks:write"),
}
"""The scopes for reading and for changing, by the beginning of an address. The longest matching beginning applies."""
LOOKING_POSTS = {"/jobs", "/jobs/<str:job_id>"}
"""Addresses that answer every method in the same way and change nothing."""
OF_EVERYBODY = (
    "/account",
    "/client.zip",
    "/confirm-email/",
    "/favicon.ico",
    "/errors/",
    "/invitations/accept/",
    "/members/leave",
    "/offline",
    "/password/",
    "/sample/page",
    "/service-worker.js",
    "/shut",
    "/sign-",
    "/stop-acting",
    "/v1/docs",
    "/v1/limits",
    "/v1/openapi.json",
    "/v1/payments/stripe/events",
)
"""Addresses that every role may use, because they show only the person's own data or that of no tenant. The payment
provider signs what it sends.
"""
NOT_WALKED = ("/admin", "/static", "/metrics", "/livez", "/readyz", "/^")


def addresses(resolver: URLResolver, before: str = "/") -> Iterator[str]:
    for one in resolver.url_patterns:
        path = before + str(one.pattern)
        if isinstance(one, URLPattern):
            yield path
        else:
            yield from addresses(one, path)


def walked() -> list[str]:
    exactly = ("/", "/tenant")
    found = sorted(set(addresses(get_resolver())) - set(exactly))
    return [path for path in found if not path.startswith((*NOT_WALKED, *OF_EVERYBODY))]


def needed(path: str, method: str) -> str:
    known = [start for start in NEEDS if path == start or path.startswith((f"{start}/", f"{start}."))]
    assert known, f"{path} is new: say in NEEDS what it takes"
    looking, changing = NEEDS[max(known, key=len)]
    return looking if method == "GET" or path in LOOKING_POSTS else changing


def filled(path: str) -> str:
    return PARAMETER.sub(lambda found: "1" if found[1] == "int" else str(uuid4()), path)


def ask(browser: Client, method: str, path: str) -> int:
    if path.startswith("/v1") and method != "GET":
        return browser.generic(method, path, "{}", content_type="application/json").status_code
    return browser.generic(method, path).status_code


@pytest.mark.parametrize("role", [VIEWER, BILLING, DEVELOPER])
def test_a_role_is_refused_where_it_lacks_the_right_and_nowhere_else(tenant: CreatedTenant, role: str) -> None:
    with operator_work():
        person = User.objects.create_user(f"{unique('person')}@example.com", "correct horse")
        Membership.objects.create(tenant=tenant.tenant, user=person, role=role)
    browser = Client(raise_request_exception=False)
    browser.force_login(person)
    wrong = []
    for path in walked():
        for method in ("GET", "POST", "PATCH", "DELETE")[: 4 if path.startswith("/v1") else 2]:
            status = ask(browser, method, filled(path))
            right = needed(path, method)
            if status != 405 and (status == 403) == (not right or right in scopes_of(role)):
                wrong.append(f"{method} {path}: {status}, needs {right!r}")
    assert not wrong, "\n".join(wrong)
