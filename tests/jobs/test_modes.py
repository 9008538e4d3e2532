"""Live things and tests are apart: a key sees and touches what is of its own mode, and nothing else is there."""

from dataclasses import replace
from uuid import UUID, uuid4

import pytest
from django.http import HttpResponse
from django.test import Client

from jobs.dispatch.settlement import Failure, fail_page
from jobs.errors import NotFound
from jobs.models import Document, Job
from jobs.selectors import tenant_events_after
from jobs.services import JobRequest, cancel_job, retry_job, submit_job
from tenants.context import every_mode, unit_of_work
from tenants.errors import UnscopedQuery
from tenants.identity import Identity
from tests.tenants.billing.ledger.conftest import Purse

from .conftest import Desk

CALL_MICROS = 1_500


@pytest.fixture
def tests(desk: Desk) -> Desk:
    """The same tenant's test key."""
    return Desk(replace(desk.identity, livemode=False), desk.version)


@pytest.fixture
def person(desk: Desk) -> Identity:
    return replace(desk.identity, key_id=None, user_id=uuid4())


def call(identity: Identity, method: str, path: str) -> HttpResponse:
    answer: HttpResponse = getattr(Client(), method)(path, **{"maas.identity": identity})
    return answer


def listed(identity: Identity, path: str) -> set[str]:
    return {one["id"] for one in call(identity, "get", path).json()["data"]}  # type: ignore[attr-defined]


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


def without_ids(answer: HttpResponse, asked: UUID) -> str:
    body = answer.json()  # type: ignore[attr-defined]
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
    assert call(tests.identity, "delete", f"/v1/documents/{document.id}?with=jobs").status_code == 404
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
    assert submit_job(
        identity=person, request=replace(request, document_id=None, input={"text": "a"})
    ).livemode


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
    """By name: so many live ones stand before the test's that one look does not reach it."""
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
