"""Tests that the audit log holds all that operators did, and that nobody removes entries."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.contrib.admin.models import CHANGE, LogEntry
from django.db import ProgrammingError, connections
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from inference.workers.heartbeats import Beat, Heartbeat
from jobs.core.models import Job
from tenants.accounts.models import User
from tenants.accounts.services import create_operator
from tenants.core.db.roles import OPERATOR_ROLE
from tenants.core.db.unit_of_work import APP, OPERATOR, operator_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique
from tests.jobs.conftest import Desk
from tests.maas.test_admin_actions import ROWS, act

PAIRS = sorted(ROWS, key=lambda pair: (pair[0]._meta.label, pair[1]))


@pytest.fixture
def person() -> User:
    return create_operator(email=f"{unique('operator')}@example.com", password="correct horse")


@pytest.fixture
def entry(person: User) -> LogEntry:
    with operator_work():
        return LogEntry.objects.create(user=person, object_id="1", object_repr="one", action_flag=CHANGE)


@contextmanager
def log_that_takes_nothing() -> Iterator[None]:
    """Make it impossible to write the entry, as a full disk would."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(f"REVOKE INSERT ON django_admin_log FROM {OPERATOR_ROLE}")
        try:
            yield
        finally:
            cursor.execute(f"GRANT INSERT ON django_admin_log TO {OPERATOR_ROLE}")


def as_it_is(row: Model) -> object:
    with operator_work():
        return type(row)._default_manager.filter(pk=row.pk).values().get(), Job.objects.count()


@pytest.mark.parametrize("alias", [APP, OPERATOR])
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE django_admin_log SET change_message = 'nothing' WHERE id = %s",
        "DELETE FROM django_admin_log WHERE id = %s",
        "TRUNCATE django_admin_log",
    ],
    ids=["update", "delete", "truncate"],
)
def test_no_role_that_serves_requests_changes_or_deletes_an_entry(entry: LogEntry, alias: str, statement: str) -> None:
    with connections[alias].cursor() as cursor, pytest.raises(ProgrammingError):
        cursor.execute(statement, [entry.pk] if "%s" in statement else None)
    with operator_work():
        assert LogEntry.objects.get(pk=entry.pk).object_repr == "one"


def test_nobody_edits_the_log_in_the_admin(operator: Client, entry: LogEntry) -> None:
    assert operator.get(reverse("admin:admin_logentry_add")).status_code == 403
    assert operator.post(reverse("admin:admin_logentry_change", args=[entry.pk]), {}).status_code == 403
    assert operator.get(reverse("admin:admin_logentry_delete", args=[entry.pk])).status_code == 403


def test_a_person_without_entries_can_still_be_deleted(operator: Client, tenant: CreatedTenant) -> None:
    at = reverse("admin:tenants_user_delete", args=[tenant.owner.pk])
    assert operator.post(at, {"post": "yes"}).status_code == 302
    assert not User.objects.filter(pk=tenant.owner.pk).exists()


@pytest.mark.parametrize(("model", "action"), PAIRS, ids=lambda one: getattr(one, "__name__", one))
def test_nothing_is_done_whose_entry_cannot_be_written(
    operator: Client, desk: Desk, model: type[Model], action: str
) -> None:
    with operator_work():
        row = ROWS[model, action](desk)
    before = as_it_is(row)
    with log_that_takes_nothing(), pytest.raises(ProgrammingError):
        act(operator, row, action, confirmed="yes", post="yes")
    assert as_it_is(row) == before


def test_no_worker_is_given_an_order_that_cannot_be_written_down(operator: Client) -> None:
    worker = Heartbeat(unique("worker"), "CPU")
    worker.beat(Beat(models=(), pages_held=0))
    with log_that_takes_nothing(), pytest.raises(ProgrammingError):
        operator.post(reverse("admin:jobs_worker_drain", args=[worker.name]), {"confirmed": "yes"})
    assert worker.ordered_to_drain() is False
    worker.end()


def test_no_password_is_set_without_an_entry(operator: Client, tenant: CreatedTenant) -> None:
    new = {"password1": "battery staple", "password2": "battery staple", "usable_password": "true"}
    at = reverse("admin:auth_user_password_change", args=[tenant.owner.pk])
    with log_that_takes_nothing(), pytest.raises(ProgrammingError):
        operator.post(at, new)
    assert User.objects.get(pk=tenant.owner.pk).check_password("correct horse")


def test_a_new_password_that_an_operator_sets_is_the_persons(operator: Client, tenant: CreatedTenant) -> None:
    new = {"password1": "battery staple", "password2": "battery staple", "usable_password": "true"}
    at = reverse("admin:auth_user_password_change", args=[tenant.owner.pk])
    assert operator.post(at, new).status_code == 302
    assert User.objects.get(pk=tenant.owner.pk).check_password("battery staple")


def test_jobs_of_one_model_are_acted_on_together(operator: Client, desk: Desk) -> None:
    first, second = desk.submit(), desk.submit()
    page = reverse("admin:jobs_job_changelist")
    chosen = [str(first.pk), str(second.pk)]
    for action in ("release_again", "cancel"):
        answer = operator.post(page, {"action": action, "confirmed": "yes", "_selected_action": chosen})
        assert answer.status_code == 302
    with operator_work():
        assert LogEntry.objects.filter(object_id__in=chosen).count() == 4
