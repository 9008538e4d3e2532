"""Tests that a person who deletes their own account is no longer named anywhere, whatever they did here."""

from allauth.account.models import EmailAddress
from django.contrib.admin.models import CHANGE, LogEntry
from django.test import Client

from tenants.accounts.leaving import delete_person
from tenants.accounts.models import User
from tenants.core.db.unit_of_work import operator_work
from tests.fixtures import unique


def test_who_was_an_operator_leaves_what_they_did_and_no_name(client: Client) -> None:
    email = f"{unique('operator')}@example.com"
    with operator_work():
        person = User.objects.create_user(email, "correct horse", name="Olga Operator")
        EmailAddress.objects.create(user=person, email=email, verified=True, primary=True)
        LogEntry.objects.log_actions(person.pk, [person], CHANGE, "changed something", single_object=True)
    delete_person(person=person)
    with operator_work():
        left = User.objects.get(pk=person.pk)
        assert LogEntry.objects.filter(user=person).count() == 1
        assert not EmailAddress.objects.filter(email=email).exists()
        assert not User.objects.filter(email=email).exists()
    assert (left.name, left.is_active, left.has_usable_password()) == ("", False, False)
    assert "Olga" not in str(left)
