"""Tests that operators find rows: by names, ids and parts of them, by moments and by filters."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from inference.core.contracts import Units, WorkOutput
from jobs.queue.settlement import finish_page
from tenants.accounts.models import Membership, Tenant, User
from tenants.core.db.unit_of_work import operator_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique
from tests.jobs.conftest import Desk


def test_pages_are_filtered_by_whether_a_person_must_check_them(operator: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    first, second = desk.pages(job)
    finish_page(desk.claimed(first), WorkOutput({"needs_review": True, "quality": 0.414}, Units(pages=1)))
    desk.finish(second)
    pages = reverse("admin:jobs_page_changelist")

    def found(choice: str) -> list[int]:
        listed = operator.get(pages, {"q": str(job.id), "needs_review": choice}).context["cl"].result_list
        return [page.number for page in listed]

    assert (found("yes"), found("no")) == ([1], [2])
    assert "0.41" in operator.get(pages, {"q": str(job.id), "needs_review": "yes"}).content.decode()


@pytest.fixture
def found(operator: Client) -> Callable[[str, str], set[str]]:
    def find(model: str, term: str) -> set[str]:
        answer = operator.get(reverse(f"admin:{model}_changelist"), {"q": term})
        return {str(row.pk) for row in answer.context["cl"].result_list}

    return find


def test_jobs_are_found_by_names_and_ids_of_what_they_belong_to(
    found: Callable[[str, str], set[str]], desk: Desk
) -> None:
    job = desk.submit(pages=2)
    assert job.document is not None
    name, member = unique("Scan"), unique("member")
    desk.sql(f"UPDATE jobs_document SET name = '{name}.pdf' WHERE id = %s", job.document.pk)
    with operator_work():
        tenant = Tenant.objects.get(pk=desk.identity.tenant_id)
        person = User.objects.create_user(f"{member}@example.com")
        Membership.objects.create(tenant=tenant, user=person)
    assert found("jobs_job", str(job.pk)) == {str(job.pk)}
    assert found("jobs_job", str(job.document.pk)) == {str(job.pk)}
    assert found("jobs_job", name.lower()) == {str(job.pk)}
    for term in (tenant.name.upper(), f"{member}@Example.com", str(tenant.pk)):
        assert str(job.pk) in found("jobs_job", term)
    assert found("jobs_job", "nothing is called so") == set()


def test_a_range_of_time_shows_what_was_accepted_in_it(operator: Client, desk: Desk) -> None:
    def shown(first: datetime, last: datetime) -> int:
        asked = {"tenant__id__exact": str(desk.identity.tenant_id)}
        for end, moment in (("from", first), ("to", last)):
            asked |= {
                f"created_at_{end}_0": f"{moment:%Y-%m-%d}",
                f"created_at_{end}_1": f"{moment:%H:%M:%S}",
            }
        return int(operator.get(reverse("admin:jobs_job_changelist"), asked).context["cl"].result_count)

    desk.submit()
    desk.submit()
    now, hour = datetime.now(UTC), timedelta(hours=1)
    assert shown(now - hour, now + hour) == 2
    assert shown(now - 2 * hour, now - hour) == 0


@pytest.mark.parametrize(
    ("day", "hour"), [("20.11.2026", ""), ("garbage", ""), ("2026-11-20", "noon"), ("2026-02-30", "")]
)
def test_what_is_no_moment_is_said_above_the_list_as_it_was(operator: Client, desk: Desk, day: str, hour: str) -> None:
    desk.submit()
    asked = {"created_at_from_0": day, "created_at_from_1": hour, "q": str(desk.identity.tenant_id)}
    answer = operator.get(reverse("admin:jobs_job_changelist"), asked)
    assert answer.status_code == 200
    assert answer.context["cl"].result_count == 1
    assert answer.content.decode().count(f"“{day} {hour or '00:00'}” is not a valid date and time") == 1


def test_a_key_is_found_by_what_is_shown_of_it_and_by_its_name(
    found: Callable[[str, str], set[str]], tenant: CreatedTenant, desk: Desk
) -> None:
    key = tenant.key.key
    name = unique("Billing robot")
    desk.sql(f"UPDATE tenants_apikey SET name = '{name}' WHERE id = %s", key.pk)
    for term in (key.prefix, key.public_id, name.lower(), name[3:], str(key.pk)):
        assert found("tenants_apikey", term) == {str(key.pk)}, term


def test_of_a_whole_key_the_shown_part_alone_is_searched_and_said(operator: Client, tenant: CreatedTenant) -> None:
    whole = tenant.key.text
    answer = operator.get(reverse("admin:tenants_apikey_changelist"), {"q": f" {whole} "}, follow=True)
    (address, _) = answer.redirect_chain[0]
    secret = whole.removeprefix(tenant.key.key.prefix)
    assert secret not in address
    assert secret not in answer.content.decode()
    assert [row.pk for row in answer.context["cl"].result_list] == [tenant.key.key.pk]


def test_a_job_is_found_by_its_request_and_by_the_end_of_its_id(
    found: Callable[[str, str], set[str]], desk: Desk
) -> None:
    job, request = desk.submit(), uuid4().hex
    desk.sql(f"UPDATE jobs_job SET request_id = '{request}' WHERE id = %s", job.pk)
    for term in (request, str(job.pk)[-8:], f"…{str(job.pk)[-8:].upper()}"):
        assert found("jobs_job", term) == {str(job.pk)}, term
