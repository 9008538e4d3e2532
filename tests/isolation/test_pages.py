"""Test what a person's session opens besides the pages of test_every_page: the API and the log, but not the admin."""

import re
from collections.abc import Iterator

import httpx
import pytest

from tests.fixtures import unique
from tests.flows.caller import Caller
from tests.flows.product import Account, Product
from tests.flows.signing_in import signed_in
from tests.waiting import eventually

from .belongings import Belongings


@pytest.fixture(scope="module")
def browser(product: Product, account: Account) -> Iterator[httpx.Client]:
    with signed_in(product, account) as browser:
        yield browser


def test_a_persons_own_job_is_shown(browser: httpx.Client, mine: Belongings) -> None:
    shown = browser.get(f"/jobs/{mine.job_id}")
    assert shown.status_code == 200
    assert mine.job_id in shown.text
    assert browser.get(f"/v1/documents/{mine.document_id}/pages/1/picture").status_code == 200
    assert browser.get(f"/v1/documents/{mine.document_id}/content").status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/v1/jobs/{job_id}",
        "/v1/jobs/{job_id}/result",
        "/v1/jobs/{job_id}/result.pdf",
        "/v1/documents/{document_id}/content",
        "/v1/documents/{document_id}/pages/1/picture",
    ],
)
def test_another_tenants_thing_is_like_one_that_never_was_in_the_api(
    browser: httpx.Client, theirs: Belongings, path: str
) -> None:
    nobodys = Belongings.of_nobody()
    foreign = browser.get(path.format(**theirs.values()))
    unknown = browser.get(path.format(**nobodys.values()))
    assert foreign.status_code == unknown.status_code == 404
    assert without_names(foreign, theirs) == without_names(unknown, nobodys)


def without_names(answer: httpx.Response, belongings: Belongings) -> str:
    # The cross-site tokens, which are new in every answer, are removed first, because a short name may be a part of
    # one.
    text = re.sub(r'"[A-Za-z0-9]{64}"', "", answer.text)
    for name in (belongings.job_id, belongings.document_id, answer.headers["x-request-id"]):
        text = text.replace(name, "")
    return text


def test_another_tenants_requests_are_in_nobodys_log(
    browser: httpx.Client, product: Product, caller: Caller, other_caller: Caller, other_account: Account
) -> None:
    name = unique("request")
    for one in (caller, other_caller):
        one.http.get(f"/v1/jobs/{name}-of-{one.key[-6:]}")
    own, foreign = f"{name}-of-{caller.key[-6:]}", f"{name}-of-{other_caller.key[-6:]}"
    eventually(lambda: own in browser.get("/log").text, "one's own request in the log")
    with signed_in(product, other_account) as their_browser:
        found = re.search(
            rf'href="(/log/\w+)"[^>]*><span[^>]*>GET</span> /v1/jobs/{foreign}',
            their_browser.get("/log").text,
        )
    assert found
    assert foreign not in browser.get("/log").text
    assert browser.get(found[1]).status_code == browser.get("/log/nothing").status_code == 404


def test_a_member_cannot_enter_the_admin(browser: httpx.Client) -> None:
    answer = browser.get("/admin/")
    assert answer.url.path == "/admin/login/"
    assert browser.get("/admin/jobs/job/").url.path == "/admin/login/"


def test_a_stranger_sees_no_page_and_no_picture(product: Product, mine: Belongings) -> None:
    with httpx.Client(base_url=product.running.url) as stranger:
        assert stranger.get(f"/jobs/{mine.job_id}").headers["location"].startswith("/sign-in")
        assert stranger.get(f"/v1/documents/{mine.document_id}/pages/1/picture").status_code == 401


def test_a_session_cookie_alone_changes_nothing(browser: httpx.Client, mine: Belongings) -> None:
    """The request has no token, which only our own pages have, like a form of another site."""
    refused = browser.delete(f"/v1/documents/{mine.document_id}", headers={"Referer": "http://evil.example/"})
    assert (refused.status_code, refused.json()["code"]) == (403, "csrf_failed")
    assert browser.get(f"/v1/documents/{mine.document_id}").status_code == 200
