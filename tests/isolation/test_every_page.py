"""Test every page and every form, taken from the URL patterns themselves: what belongs to another tenant does not
exist.
"""

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from uuid import uuid4

import httpx
import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from tests.flows.caller import Caller
from tests.flows.product import Account, Product
from tests.flows.signing_in import signed_in
from tests.waiting import eventually

from .belongings import Belongings

ELSEWHERE = ("/admin", "/v1", "^v1")
"""The pages that are not tested here: those of the operator, and the API, which test_routes covers."""
PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
SHARED_PARAMETERS = {"name", "code", "uidb36", "key", "token", "pk", "provider_id"}
"""The parameters that are the same for all tenants or need no test here: codes of errors are the same for all; models
and sign-in providers belong to the operator; the key of a mailed link contains a signature of its recipient; and
before a passkey is looked up the owner's password is required
(tests/tenants/dashboard/accounts/test_second_factors.py).
"""


@dataclass(frozen=True)
class Things:
    """The ids of one thing of each kind that a tenant has, by the names in the URL patterns."""

    job_id: str
    document_id: str
    key_id: str
    entry_id: str
    tenant_id: str
    batch_id: str
    endpoint_id: str
    delivery_id: str
    archive_id: str
    page_id: str
    membership_id: str
    invitation_id: str
    session_id: str
    invoice_id: str
    budget_id: str
    payment_id: str
    field_id: str
    example_id: str
    class_set: str
    model: str
    name: str = "parse"

    @classmethod
    def of_nobody(cls, like: "Things") -> "Things":
        ids = [str(uuid4()) for _ in range(10)]
        batch_id = f"batch_{uuid4().hex}"
        ours = ("invoice_id", "budget_id", "payment_id", "field_id", "example_id")
        numbers = {"session_id": str(2**40), **{name: str(uuid4()) for name in ours}}
        numbers["class_set"] = f"none-{uuid4().hex[:8]}"
        numbers["model"] = f"none-{uuid4().hex[:8]}"
        return cls(ids[0], ids[1], ids[2], like.entry_id[::-1], ids[3], batch_id, *ids[4:10], **numbers)


@dataclass(frozen=True)
class Asked:
    """A request that names something of another tenant: in the address, in a form, or both."""

    method: str
    path: str
    form: Mapping[str, str] = field(default_factory=dict)


BY_ID = (
    Asked("GET", "/jobs/{job_id}"),
    Asked("GET", "/jobs/{job_id}?page=1"),
    Asked("POST", "/jobs/{job_id}"),
    Asked("GET", "/jobs/{job_id}/checks"),
    Asked("GET", "/jobs/{job_id}/erase"),
    Asked("POST", "/jobs/{job_id}/erase", {"also": "document"}),
    Asked("POST", "/jobs/{job_id}/cancel"),
    Asked("POST", "/jobs/{job_id}/read-again", {"model": "parse"}),
    Asked("POST", "/jobs/{job_id}/retry"),
    Asked("GET", "/jobs/archive?job={job_id}"),
    Asked("GET", "/jobs/fields?format=csv&job={job_id}"),
    Asked("GET", "/jobs/bulk/consequences?job={job_id}"),
    Asked("POST", "/jobs/bulk/cancel", {"job": "{job_id}"}),
    Asked("POST", "/jobs/bulk/delete", {"job": "{job_id}"}),
    Asked("GET", "/jobs/bulk/erasure?job={job_id}"),
    Asked("POST", "/jobs/bulk/erase", {"job": "{job_id}"}),
    Asked("POST", "/jobs/bulk/retry", {"job": "{job_id}"}),
    Asked("POST", "/jobs/bulk/add-to-class", {"class_set": "{class_set}", "label": "mine", "job": "{job_id}"}),
    Asked("GET", "/classes/{class_set}"),
    Asked("POST", "/classes/{class_set}/train"),
    Asked("POST", "/classes/{class_set}/remove", {"job": "{job_id}"}),
    Asked("POST", "/classes/{class_set}/serve", {"version": "1"}),
    Asked("POST", "/classes/{class_set}/default", {"default": "true"}),
    Asked("POST", "/classes/{class_set}/delete"),
    Asked("GET", "/own-models/{model}"),
    Asked("GET", "/own-models/{model}/versions/{number}"),
    Asked("GET", "/own-models/{model}/history"),
    Asked("POST", "/own-models/{model}/pause"),
    Asked("POST", "/own-models/{model}/describe", {"version": "1", "card": "mine"}),
    Asked("POST", "/own-models/{model}/resume"),
    Asked("POST", "/own-models/{model}/delete-alias", {"alias": "champion"}),
    Asked("POST", "/own-models/{model}/move", {"alias": "current", "version": "1"}),
    Asked("POST", "/own-models/{model}/rollback", {"alias": "current"}),
    Asked("POST", "/own-models/{model}/optimize", {"version": "1"}),
    Asked("POST", "/own-models/{model}/use", {"version": "1"}),
    Asked("POST", "/own-models/{model}/refuse", {"version": "1"}),
    Asked("POST", "/own-models/{model}/cancel"),
    Asked("POST", "/own-models/{model}/resume-version", {"version": "1"}),
    Asked("POST", "/own-models/{model}/retire", {"version": "1"}),
    Asked("POST", "/own-models/{model}/delete-version", {"version": "1"}),
    Asked("POST", "/own-models/{model}/delete"),
    Asked("GET", "/archives/{archive_id}"),
    Asked("GET", "/archives/{archive_id}?after=1"),
    Asked("POST", "/archives/{archive_id}/cancel"),
    Asked("GET", "/jobs/of-page?id={page_id}"),
    Asked("GET", "/fields/{field_id}"),
    Asked("POST", "/fields/{field_id}", {"title": "Mine", "type": "text", "place": "label", "labels": "No."}),
    Asked("POST", "/fields/{field_id}/delete"),
    Asked("POST", "/fields/{field_id}/examples/{example_id}/delete"),
    Asked("GET", "/fields/new?job={job_id}"),
    Asked(
        "POST",
        "/fields/new",
        {"title": "Mine", "type": "text", "place": "label", "job": "{job_id}", "box": "[1, 1, 900, 900]"},
    ),
    Asked("POST", "/fields/point", {"job": "{job_id}", "page": "1", "box": "[1, 1, 900, 900]"}),
    Asked("POST", "/fields/try", {"field": "{field_id}"}),
    Asked("POST", "/fields/examples", {"field": "{field_id}", "job": "{job_id}", "box": "[1, 1, 900, 900]"}),
    Asked("POST", "/account/sessions/{session_id}/end"),
    Asked("POST", "/batches/{batch_id}/cancel"),
    Asked("POST", "/budgets/{budget_id}/remove"),
    Asked("GET", "/billing/invoices/{invoice_id}"),
    Asked("GET", "/billing/invoices/{invoice_id}/pdf"),
    Asked("GET", "/billing/invoices/{invoice_id}/csv"),
    Asked("GET", "/billing/invoices/{invoice_id}/json"),
    Asked("GET", "/billing/payments/{payment_id}"),
    Asked("POST", "/billing/invoices/{invoice_id}/pay", {"provider": "offline"}),
    Asked("GET", "/keys/{key_id}/rotate"),
    Asked("POST", "/keys/{key_id}/rotate", {"overlap": "0"}),
    Asked("GET", "/keys/{key_id}/keep-to"),
    Asked("POST", "/keys/{key_id}/keep-to", {"allowed_models": "embed"}),
    Asked("GET", "/keys/{key_id}/revoke"),
    Asked("POST", "/keys/{key_id}/revoke"),
    Asked("GET", "/log/{entry_id}"),
    Asked("POST", "/members/{membership_id}/role", {"role": "viewer"}),
    Asked("GET", "/members/{membership_id}/remove"),
    Asked("POST", "/members/{membership_id}/remove"),
    Asked("GET", "/members/{membership_id}/hand-over"),
    Asked("POST", "/members/{membership_id}/hand-over"),
    Asked("POST", "/invitations/{invitation_id}/resend"),
    Asked("POST", "/invitations/{invitation_id}/revoke"),
    Asked("GET", "/webhooks/{endpoint_id}"),
    Asked("POST", "/webhooks/{endpoint_id}/rotate"),
    Asked("POST", "/webhooks/{endpoint_id}/test"),
    Asked("POST", "/webhooks/{endpoint_id}/enable"),
    Asked("POST", "/webhooks/{endpoint_id}/disable"),
    Asked("POST", "/webhooks/{endpoint_id}/delete"),
    Asked("POST", "/webhooks/deliveries/{delivery_id}/replay"),
    Asked("POST", "/tenant", {"tenant": "{tenant_id}"}),
)
"""The requests about one thing. If it belongs to another tenant, the answer is the same as for one that never
existed.
"""

SHOWING = (
    "/",
    "/account",
    "/account/email",
    "/account/password",
    "/account/sessions",
    "/account/sign-on",
    "/account/two-factor",
    "/archives",
    "/archives?before={archive_id}",
    "/audit",
    "/audit?kind=key",
    "/audit.csv",
    "/batches",
    "/billing/card",
    "/billing/card?saved=cs_nobodys",
    "/billing/payments",
    "/billing/payments?before={payment_id}",
    "/billing/top-up",
    "/batches?before={batch_id}",
    "/billing",
    "/billing/details",
    "/billing/invoices",
    "/billing/invoices?before={invoice_id}",
    "/billing/invoices.csv",
    "/billing/upcoming",
    "/classes",
    "/client.zip",
    "/favicon.ico",
    "/fields",
    "/fields?found=1",
    "/jobs",
    "/jobs?q=beta+secret",
    "/jobs?q=beta+secret&by=meaning",
    "/jobs?before={job_id}",
    "/jobs?after={job_id}",
    "/jobs?state=succeeded&sort=name&model=parse",
    "/keys",
    "/keys/new",
    "/log",
    "/log?key={key_id}",
    "/log?newest={entry_id}",
    "/models",
    "/own-models/new",
    "/models/{name}",
    "/members",
    "/members/leave",
    "/offline",
    "/password/forgotten",
    "/password/forgotten/sent",
    "/password/renewed",
    "/quickstart",
    "/sample/page",
    "/shut",
    "/sign-up/sent",
    "/service-worker.js",
    "/sign-in",
    "/usage",
    "/budgets",
    "/usage.csv",
    "/usage/day",
    "/usage?key={key_id}",
    "/webhooks",
    "/webhooks/new",
)
"""The pages that show many things. None of them belongs to another tenant, whatever is requested."""

TAKING_NO_ID = {
    "/billing/card/save": "one's own card, on the provider's page",
    "/billing/card/use": "one's own card",
    "/billing/card/remove": "as above",
    "/fields/apply": "the jobs of one's own, after an id that is only compared",
    "/sample": "a document of one's own is made",
    "/account/sessions/end-others": "one's own sessions end",
    "/account/two-factor/app": "who signed in is asked for their password again; then it is one's own",
    "/account/two-factor/app/remove": "as above",
    "/account/two-factor/codes": "as above",
    "/account/two-factor/codes.txt": "as above",
    "/account/two-factor/codes/new": "as above",
    "/account/two-factor/passkeys": "leads to the page of two-factor",
    "/account/two-factor/passkeys/new": "who signed in is asked for their password again; then it is one's own",
    "/account/two-factor/passkeys/{pk}/remove": "as above",
    "/sign-in/again/code": "one's own code",
    "/sign-in/again/passkey": "one's own passkey",
    "/sign-in/again/mail": "one's own code",
    "/sign-in/again/mail/send": "to one's own address",
    "/sign-in/with/{provider_id}": "who comes has nothing yet",
    "/sign-in/with/{provider_id}/back": "what was begun stands in the session",
    "/errors/{code}": "the same for all",
    "/sign-in/stopped": "the same for all",
    "/sign-up/through": "who signs up has nothing yet",
    "/account/sign-on/{provider_id}/connect": "one's own",
    "/account/sign-on/{provider_id}/remove": "one's own",
    "/sign-in/code": "who comes stands in the session",
    "/sign-in/passkey": "who comes is told by the passkey",
    "/account/email/keep": "one's own change of address is given up",
    "/account/password/first": "who has a password already is sent on",
    "/confirm-email/{key}": "the key is of a mail, and signed",
    "/password/new/{uidb36}-{key}": "as above",
    "/sign-up": "who signs up has nothing yet",
    "/sign-in/again": "who signed in just now is asked for their password",
    "/sign-out": "the session that is sent ends",
    "/tenant/delete": "one's own account, after the password once more",
    "/tenant/keep": "one's own account",
    "/account/delete": "oneself, after the password once more",
    "/stop-acting": "what an operator began ends",
    "/members/invite": "a mail is sent in the name of one's own account",
    "/invitations/accept/{token}": "the token is of a mail, and signed",
    "/models/{name}/code": "what is typed comes back as a program",
}


def addresses(resolver: URLResolver, before: str = "/") -> Iterator[str]:
    for one in resolver.url_patterns:
        path = before + str(one.pattern)
        if path.lstrip("/").startswith(tuple(place.lstrip("/") for place in ELSEWHERE)):
            continue
        if isinstance(one, URLPattern):
            yield PARAMETER.sub(r"{\1}", path)
        else:
            yield from addresses(one, path)


@pytest.fixture(scope="module")
def browser(product: Product, account: Account) -> Iterator[httpx.Client]:
    with signed_in(product, account) as browser:
        yield browser


def things_of(product: Product, account: Account, belongings: Belongings) -> Things:
    """Create one thing of each kind, including an entry in the tenant's own log."""
    (key_id,), *_ = product.rows("SELECT id FROM tenants_apikey WHERE tenant_id = %s", account.tenant_id)
    (page_id,), *_ = product.rows("SELECT id FROM jobs_page WHERE job_id = %s", belongings.job_id)
    with product.caller(account) as caller, signed_in(product, account) as browser:
        caller.http.get("/v1/jobs")
        invite = {"email": f"{account.tenant_id}@example.com", "role": "viewer"}
        headers = {"Referer": str(browser.base_url), "X-CSRFToken": browser.cookies["csrftoken"]}
        browser.post("/members/invite", data=invite, headers=headers)
        browser.post("/budgets", data={"of": "", "currency": "EUR", "monthly": "9"}, headers=headers)
        (budget_id,), *_ = product.rows("SELECT id FROM tenants_budget WHERE tenant_id = %s", account.tenant_id)
        (session_id,), *_ = product.rows(
            "SELECT max(s.id) FROM usersessions_usersession s JOIN tenants_user u ON u.id = s.user_id"
            " WHERE u.email = %s",
            account.email,
        )
        (membership_id,), *_ = product.rows("SELECT id FROM tenants_membership WHERE tenant_id = %s", account.tenant_id)
        (invitation_id,), *_ = product.rows(
            "SELECT id FROM tenants_invitation WHERE tenant_id = %s AND revoked_at IS NULL", account.tenant_id
        )
        entry = eventually(lambda: re.search(r'href="/log/(\w+)"', browser.get("/log").text), "a request")
    return Things(
        belongings.job_id,
        belongings.document_id,
        str(key_id),
        entry[1],
        account.tenant_id,
        belongings.batch_id,
        belongings.endpoint_id,
        belongings.delivery_id,
        belongings.archive_id,
        str(page_id),
        str(membership_id),
        str(invitation_id),
        str(session_id),
        belongings.invoice_id,
        str(budget_id),
        belongings.payment_id,
        belongings.field_name,
        belongings.example_id,
        belongings.class_set,
        belongings.model,
    )


@pytest.fixture(scope="module")
def their_things(product: Product, other_account: Account, theirs: Belongings) -> Things:
    return things_of(product, other_account, theirs)


@pytest.fixture(scope="module")
def own_things(product: Product, account: Account, mine: Belongings) -> Things:
    return things_of(product, account, mine)


def ask(browser: httpx.Client, asked: Asked, things: Things) -> httpx.Response:
    values = asdict(things) | {"number": "1"}
    form = {name: value.format(**values) for name, value in asked.form.items()}
    headers = {"Referer": str(browser.base_url), "X-CSRFToken": browser.cookies["csrftoken"]}
    return browser.request(asked.method, asked.path.format(**values), data=form or None, headers=headers)


def without_names(answer: httpx.Response, things: Things) -> str:
    # The cross-site tokens, which are new in every answer, are removed first, because a short name may be a part of
    # one, and so is the encoding, because 8 may be the number of a session.
    text = re.sub(r'"[A-Za-z0-9]{64}"|utf-8', "", answer.text)
    for name in (answer.headers["x-request-id"], *asdict(things).values()):
        # Only whole words are removed, because the number of a passkey may be a part of other numbers.
        text = re.sub(rf"\b{re.escape(name)}\b", "", text)
    return text


def test_every_page_is_known_to_this_walk() -> None:
    known = {path.partition("?")[0] for path in (*SHOWING, *(one.path for one in BY_ID))} | set(TAKING_NO_ID)
    assert set(addresses(get_resolver())) == known, "a new page: say here how another's thing is named to it"


def test_every_page_that_names_a_thing_is_asked_for_anothers() -> None:
    by_id = {one.path for one in BY_ID}
    for path in addresses(get_resolver()):
        if set(re.findall(r"{(\w+)}", path)) - SHARED_PARAMETERS:
            assert path in by_id


def test_every_page_is_asked_in_each_way_that_it_answers(browser: httpx.Client, their_things: Things) -> None:
    listed = {(one.method, one.path.partition("?")[0]) for one in BY_ID}
    nobodys = Things.of_nobody(their_things)
    for path in {one.path.partition("?")[0] for one in BY_ID}:
        for method in ("GET", "POST"):
            if ask(browser, Asked(method, path), nobodys).status_code != 405:
                assert (method, path) in listed, "it answers: say in BY_ID how it is asked"


@pytest.mark.parametrize("asked", BY_ID, ids=lambda asked: f"{asked.method} {asked.path}")
def test_another_tenants_thing_is_like_one_that_never_was(
    browser: httpx.Client, product: Product, their_things: Things, asked: Asked
) -> None:
    before = state_of(product, their_things)
    nobodys = Things.of_nobody(their_things)
    foreign, unknown = (ask(browser, asked, things) for things in (their_things, nobodys))
    assert foreign.status_code == unknown.status_code
    assert without_names(foreign, their_things) == without_names(unknown, nobodys)
    assert foreign.status_code == 404 or foreign.headers["content-type"] == "application/json"
    assert state_of(product, their_things) == before


def state_of(product: Product, things: Things) -> list[tuple[object, ...]]:
    """Return the state, which must remain the same whatever other tenants tried."""
    return product.rows_of_all(
        ("SELECT id, state FROM jobs_job WHERE tenant_id = %s ORDER BY id", things.tenant_id),
        ("SELECT id, state FROM jobs_archive WHERE tenant_id = %s", things.tenant_id),
        ("SELECT deleted_at FROM jobs_document WHERE id = %s", things.document_id),
        ("SELECT id, state, url FROM jobs_webhookendpoint WHERE id = %s", things.endpoint_id),
        (
            "SELECT id, status, provider FROM tenants_payment WHERE tenant_id = %s ORDER BY id",
            things.tenant_id,
        ),
        ("SELECT count(*) FROM jobs_webhooksecret WHERE tenant_id = %s", things.tenant_id),
        ("SELECT count(*) FROM jobs_webhookdelivery WHERE tenant_id = %s", things.tenant_id),
        (
            "SELECT id, revoked_at, expires_at, allowed_models FROM tenants_apikey WHERE tenant_id = %s ORDER BY id",
            things.tenant_id,
        ),
        ("SELECT id, status, total_micros FROM tenants_invoice WHERE id = %s", things.invoice_id),
        (
            "SELECT name, version, changed_at, deleted_at FROM jobs_classset WHERE tenant_id = %s ORDER BY id",
            things.tenant_id,
        ),
        ("SELECT label FROM jobs_classexample WHERE tenant_id = %s ORDER BY id", things.tenant_id),
        ("SELECT name FROM tenants_billingdetails WHERE tenant_id = %s", things.tenant_id),
        ("SELECT id, role FROM tenants_membership WHERE tenant_id = %s", things.tenant_id),
        (
            "SELECT id, serial, revoked_at FROM tenants_invitation WHERE tenant_id = %s ORDER BY id",
            things.tenant_id,
        ),
    )


@pytest.mark.parametrize("path", SHOWING)
def test_a_page_of_many_things_shows_none_of_anothers(
    browser: httpx.Client, product: Product, other_account: Account, their_things: Things, path: str
) -> None:
    asked = path.format(**asdict(their_things))
    answer = browser.get(asked)
    assert answer.status_code in (200, 204)
    (public_id,), *_ = product.rows(
        "SELECT public_id FROM tenants_apikey WHERE tenant_id = %s", other_account.tenant_id
    )
    names = {*asdict(their_things).values(), public_id, other_account.email, "Beta's secret", "Beta&#x27;s"}
    # The id of a session is a small number, which any page may show.
    told = names - {their_things.name, their_things.session_id}
    shown = {name for name in told if name in answer.text}
    assert {name for name in shown if name not in asked} == set()


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/jobs?q=alpha", "{job_id}"),
        ("/jobs?q=alpha&by=meaning", "{job_id}"),
        ("/archives", "{archive_id}"),
        ("/batches", "{batch_id}"),
        ("/billing", "{invoice_id}"),
        ("/billing/invoices", "{invoice_id}"),
        ("/keys", "{key_id}"),
        ("/log", "{entry_id}"),
        ("/webhooks", "{endpoint_id}"),
    ],
)
def test_ones_own_are_shown_there(browser: httpx.Client, own_things: Things, path: str, name: str) -> None:
    """This shows that the pages have content, because a test of pages that show nothing would prove nothing."""
    wanted = name.format(**asdict(own_things))
    assert eventually(lambda: wanted in browser.get(path).text, f"{wanted} at {path}")


def test_usage_counts_ones_own_alone(
    browser: httpx.Client, product: Product, account: Account, caller: Caller, theirs: Belongings
) -> None:
    lines = list(csv.DictReader(browser.get("/usage.csv").text.splitlines()))
    used = sum(int(one[meter] or 0) for one in lines for meter in ("pages", "tokens", "calls"))
    own = product.rows(
        "SELECT count(*), coalesce(sum(quantity), 0) FROM tenants_usagerecord WHERE tenant_id = %s",
        account.tenant_id,
    )
    assert [(sum(int(one["records"] or 0) for one in lines), used)] == own
