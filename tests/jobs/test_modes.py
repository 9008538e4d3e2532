"""Test that live objects and tests are separate. A key sees and changes only what is of its own mode."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client

from jobs.core.models import Document, Job
from jobs.documents.job_selectors import tenant_events_after
from jobs.queue.settlement import Failure, fail_page
from jobs.submission.cancellations import cancel_job
from jobs.submission.retries import retry_job
from jobs.submission.services import JobRequest, submit_job
from jobs.webhooks.claims import Held
from jobs.webhooks.selectors import deliveries
from jobs.webhooks.sending import signed
from jobs.webhooks.signing import signed_headers
from tenants.core.db.unit_of_work import every_mode, unit_of_work
from tenants.core.errors import NotFound, UnscopedQuery
from tenants.identity.identity import Identity, all_scopes
from tests.tenants.billing.ledger.conftest import Purse

from .conftest import Desk

CALL_MICROS = 1_500


@pytest.fixture
def tests(desk: Desk) -> Desk:
    """Return the `desk` of the same tenant's test key."""
    return Desk(replace(desk.identity, livemode=False), desk.version)


@pytest.fixture
def person(desk: Desk) -> Identity:
    return replace(desk.identity, key_id=None, user_id=uuid4())


def call(identity: Identity, method: str, path: str) -> Any:
    answer = getattr(Client(), method)(path, **{"maas.identity": identity})
    return answer


def listed(identity: Identity, path: str) -> set[str]:
    return {one["id"] for one in call(identity, "get", path).json()["data"]}


def failed(desk: Desk, job: Job) -> Job:
    fail_page(desk.claimed(desk.pages(job)[0]), Failure("model_output_invalid", "x"), may_retry=False)
    return desk.again(job)


def test_each_key_lists_its_own_mode_and_people_see_both(desk: Desk, tests: Desk, person: Identity) -> None:
    live, test = str(desk.submit().id), str(tests.submit().id)
    assert listed(desk.identity, "/v1/jobs") == {live}
    assert listed(tests.identity, "/v1/jobs") == {test}
    assert listed(person, "/v1/jobs") == {live, test}


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("get", "/v1/jobs/{}"),
        ("get", "/v1/jobs/{}/result"),
        ("get", "/v1/jobs/{}/events"),
        ("post", "/v1/jobs/{}/cancel"),
        ("post", "/v1/jobs/{}/retry"),
        ("delete", "/v1/jobs/{}"),
    ],
)
def test_a_job_of_the_other_mode_never_was(desk: Desk, tests: Desk, method: str, path: str) -> None:
    for one, other in ((desk, tests), (tests, desk)):
        job, nobodys = failed(other, other.submit()), uuid4()
        foreign = call(one.identity, method, path.format(job.id))
        unknown = call(one.identity, method, path.format(nobodys))
        assert foreign.status_code == unknown.status_code == 404
        assert without_ids(foreign, job.id) == without_ids(unknown, nobodys)


def without_ids(answer: Any, asked: UUID) -> str:
    body = answer.json()
    body.pop("request_id", None)
    return str(body).replace(str(asked), "ID")


def test_a_test_key_moves_no_money(desk: Desk, tests: Desk) -> None:
    purse = Purse(desk.identity.tenant_id)
    purse.prepaid(10 * CALL_MICROS)
    job = failed(desk, desk.submit())
    before = purse.stands()
    with pytest.raises(NotFound):
        retry_job(identity=tests.identity, job_id=job.id)
    assert purse.stands() == before


def test_a_job_reads_documents_of_its_own_mode(desk: Desk, tests: Desk) -> None:
    document = desk.document(1)
    with pytest.raises(NotFound):
        tests.submit_document(document)
    assert call(tests.identity, "get", f"/v1/documents/{document.id}").status_code == 404
    assert call(tests.identity, "delete", f"/v1/documents/{document.id}?include_jobs=true").status_code == 404
    assert call(desk.identity, "get", f"/v1/documents/{document.id}").status_code == 200


def test_what_people_do_with_a_test_stays_a_test(desk: Desk, tests: Desk, person: Identity) -> None:
    job = failed(tests, tests.submit())
    again = retry_job(identity=person, job_id=job.id)
    assert not again.livemode
    assert cancel_job(identity=person, job_id=again.id).state == "canceled"
    with unit_of_work(tests.identity.tenant_id):
        document = Document.objects.create(
            tenant_id=tests.identity.tenant_id,
            name="a.pdf",
            sha256=uuid4().hex,
            size_bytes=1,
            content_type="application/pdf",
            kind="pdf",
            pages_total=1,
            file="none",
            livemode=False,
        )
    request = JobRequest(model=desk.version.served_model.name, document_id=document.id)
    assert not submit_job(identity=person, request=request).livemode
    assert submit_job(identity=person, request=replace(request, document_id=None, input={"text": "a"})).livemode


def test_a_stream_tells_of_its_own_mode_and_goes_on_behind_the_rest(desk: Desk, tests: Desk) -> None:
    start = tenant_events_after(desk.identity, None).cursor
    live = [desk.submit().id for _ in range(5)]
    test = tests.submit().id

    def told(identity: Identity, limit: int) -> list[UUID]:
        cursor, found = start, []
        while True:
            page = tenant_events_after(identity, cursor, limit)
            found += [event.job_id for event in page.events]
            cursor = page.cursor
            if not page.more and not page.pending:
                return found

    for limit in (1, 2, 200):
        assert told(desk.identity, limit) == live
        assert told(tests.identity, limit) == [test]
        assert told(replace(desk.identity, key_id=None, user_id=uuid4()), limit) == [*live, test]
    seen = tenant_events_after(tests.identity, start, 2)
    assert tenant_events_after(tests.identity, seen.cursor, 2).events == []


def test_a_search_finds_what_is_of_its_own_mode(desk: Desk, tests: Desk) -> None:
    """The search is by name, and the live job comes before the test's job."""
    ids = {}
    for one in (tests, desk):
        with unit_of_work(one.identity.tenant_id):
            document = Document.objects.create(
                tenant_id=one.identity.tenant_id,
                name="alike gooseberry.pdf",
                sha256=uuid4().hex,
                size_bytes=1,
                content_type="application/pdf",
                kind="pdf",
                pages_total=1,
                file="none",
                livemode=one.identity.livemode,
            )
        ids[one.identity.livemode] = str(one.submit_document(document).id)
    assert listed(desk.identity, "/v1/jobs?q=gooseberry") == {ids[True]}
    assert listed(tests.identity, "/v1/jobs?q=gooseberry") == {ids[False]}


def test_work_inside_work_never_sees_more(desk: Desk, tests: Desk) -> None:
    live = desk.submit()
    with unit_of_work(tests.identity):
        with unit_of_work(desk.identity.tenant_id):
            assert not Job.objects.filter(id=live.id).exists()
        with pytest.raises(UnscopedQuery), unit_of_work(desk.identity):
            pass
        with every_mode():
            assert Job.objects.filter(id=live.id).exists()
        assert not Job.objects.filter(id=live.id).exists()


def asked(identity: Identity, path: str, body: Mapping[str, object], key: str = "") -> Any:
    headers = {"Idempotency-Key": key} if key else {}
    return Client().post(path, body, "application/json", headers=headers, **{"maas.identity": identity})  # type: ignore[arg-type]


def test_endpoints_hear_of_their_own_mode_and_are_seen_by_its_keys(desk: Desk, tests: Desk, person: Identity) -> None:
    ids = {}
    for one in (desk, tests):
        made = asked(one.identity, "/v1/webhooks/endpoints", {"url": "https://example.com/hook"}).json()
        assert made["livemode"] is one.identity.livemode
        ids[one.identity.livemode] = made["id"]
        one.finish(one.pages(one.submit())[0])
    for one, other in ((desk, tests), (tests, desk)):
        assert listed(one.identity, "/v1/webhooks/endpoints") == {ids[one.identity.livemode]}
        (delivery,) = call(one.identity, "get", "/v1/webhooks/deliveries").json()["data"]
        assert delivery["endpoint"] == ids[one.identity.livemode]
        for path in (
            f"/v1/webhooks/endpoints/{delivery['endpoint']}",
            f"/v1/webhooks/deliveries/{delivery['id']}",
        ):
            assert call(one.identity, "get", path).status_code == 200
            assert call(other.identity, "get", path).status_code == 404
        assert call(other.identity, "delete", f"/v1/webhooks/endpoints/{ids[one.identity.livemode]}").status_code == 404
    assert listed(person, "/v1/webhooks/endpoints") == set(ids.values())


def test_the_secret_of_jobs_own_addresses_is_one_for_each_mode(desk: Desk, tests: Desk) -> None:
    def secret(one: Desk) -> str:
        return str(call(one.identity, "get", "/v1/webhooks/secret").json()["secret"])

    live, test = secret(desk), secret(tests)
    assert live != test
    rotated = asked(tests.identity, "/v1/webhooks/secret/rotate", {}).json()["secret"]
    assert secret(tests) == rotated != test
    assert secret(desk) == live


@pytest.mark.parametrize("livemode", [True, False])
def test_what_goes_to_a_jobs_own_address_is_signed_with_the_secret_of_its_mode(
    desk: Desk, tests: Desk, livemode: bool
) -> None:
    one = desk if livemode else tests
    request = JobRequest(
        model=one.version.served_model.name, input={"text": "a"}, webhook_url="https://example.com/of-the-job"
    )
    job = submit_job(identity=one.identity, request=request)
    one.finish(one.pages(job)[0])
    with unit_of_work(one.identity):
        delivery = deliveries().get(message__job=job)
    held = Held(
        id=delivery.id,
        tenant_id=one.identity.tenant_id,
        endpoint_id=delivery.endpoint_id,
        token=1,
        number=1,
        url=delivery.url,
        of_job=True,
        message_id=delivery.message_id,
        body=delivery.message.body,
        doubtful=False,
        width=1,
    )
    sent = signed(held)
    headers = {name.lower(): value for name, value in sent.headers.items()}
    for key in (desk, tests):
        secret = call(key.identity, "get", "/v1/webhooks/secret").json()["secret"]
        expected = signed_headers(
            [secret],
            webhook_id=headers["webhook-id"],
            timestamp=int(headers["webhook-timestamp"]),
            body=delivery.message.body.encode(),
        )
        assert (expected["webhook-signature"] == headers["webhook-signature"]) is (key is one)


def test_the_same_key_in_both_modes_names_two_requests(desk: Desk, tests: Desk) -> None:
    body = {"model": desk.version.served_model.name, "input": "hello"}
    live, test = (asked(one.identity, "/v1/jobs", body, key="one") for one in (desk, tests))
    assert (live.status_code, test.status_code) == (202, 202)
    assert live.json()["id"] != test.json()["id"]
    for one, first in ((desk, live), (tests, test)):
        again = asked(one.identity, "/v1/jobs", body, key="one")
        assert again.json()["id"] == first.json()["id"]
        assert again.headers["Idempotent-Replay"] == "true"


@pytest.mark.parametrize("path", ["/v1/balance", "/v1/invoices/upcoming", "/v1/audit"])
def test_what_is_of_the_account_as_a_whole_is_for_live_keys_alone(desk: Desk, path: str) -> None:
    may_all = replace(desk.identity, key_id=uuid4(), scopes=all_scopes())
    assert call(may_all, "get", path).status_code == 200
    refused = call(replace(may_all, livemode=False), "get", path)
    assert (refused.status_code, refused.json()["code"]) == (403, "live_key_needed")


def test_to_a_test_key_there_is_no_payment(desk: Desk) -> None:
    may_all = replace(desk.identity, key_id=uuid4(), scopes=all_scopes())
    paid = asked(may_all, "/v1/payments", {"amount_micros": 5_000_000, "currency": "EUR"}).json()
    test = replace(may_all, livemode=False)
    assert listed(may_all, "/v1/payments") == {paid["id"]}
    assert listed(test, "/v1/payments") == set()
    assert call(test, "get", f"/v1/payments/{paid['id']}").status_code == 404


def test_kept_results_are_erased_by_live_keys_alone(desk: Desk, tests: Desk) -> None:
    assert call(tests.identity, "delete", "/v1/cache").status_code == 403
    assert call(desk.identity, "delete", "/v1/cache").status_code == 204
