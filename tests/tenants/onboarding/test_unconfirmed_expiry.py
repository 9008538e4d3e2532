"""Tests that a person who signed up without confirming the address keeps it from nobody, and is forgotten."""

from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.core.mail import EmailMessage
from django.db import connections
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from tenants.accounts.addresses import vouch_for
from tenants.accounts.errors import InvitationForOtherUser
from tenants.accounts.invitations import accept_as_new, token_of
from tenants.accounts.models import Invitation, Membership, Tenant, User
from tenants.api_keys.services import create_key
from tenants.core.db.unit_of_work import account_work, operator_work, unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant
from tenants.onboarding.unconfirmed_expiry import forget_unconfirmed
from tests.tenants.accounts.second_step import give_app
from tests.tenants.dashboard.accounts.conftest import _mailing, email, link_in, stranger

__all__ = ["_mailing", "email", "stranger"]
FIRST, SECOND = "password of the first", "password of the second"


@pytest.fixture(autouse=True)
def _open(settings: Settings) -> None:
    settings.MAAS_SIGN_UP = "open"


def sign_up(client: Client, email: str, password: str = FIRST) -> None:
    form = {"tenant": "Acme", "name": "Eve", "email": email, "password1": password}
    assert client.post("/sign-up", form).headers["Location"] == "/sign-up/sent"


def signs_in(email: str, password: str) -> bool:
    client = Client(REMOTE_ADDR="10.58.0.1")
    client.post("/sign-in", {"username": email, "password": password})
    return "_auth_user_id" in client.session


def joined(days_ago: int, *emails: str) -> None:
    with operator_work():
        User.objects.filter(email__in=emails).update(date_joined=timezone.now() - timedelta(days=days_ago))


def invitation(tenant: CreatedTenant, email: str) -> str:
    with unit_of_work(tenant.tenant.id):
        made = Invitation.objects.create(
            tenant=tenant.tenant, email=email, role="viewer", expires_at="2100-01-01T00:00Z"
        )
        return token_of(made)


def test_who_signed_up_first_does_not_get_what_another_is_invited_to(
    stranger: Client, email: str, tenant: CreatedTenant, mailoutbox: list[EmailMessage]
) -> None:
    sign_up(stranger, email)
    first_link = link_in(mailoutbox[0])
    with operator_work():
        named_by_first = Membership.objects.get(user__email=email).tenant_id
    invited = Client(REMOTE_ADDR="10.58.0.2")
    link = f"/invitations/accept/{invitation(tenant, email)}"
    assert "Password" in invited.get(link).content.decode()
    assert invited.post(link, {"name": "Ada", "password1": SECOND}).headers["Location"] == "/"
    stranger.post(first_link)
    assert signs_in(email, SECOND)
    assert not signs_in(email, FIRST)
    with operator_work():
        assert [one.tenant_id for one in Membership.objects.filter(user__email=email)] == [tenant.tenant.id]
        assert Tenant.objects.get(id=named_by_first).state == "erasing"


def test_who_confirmed_signs_in_for_their_invitation(
    stranger: Client, email: str, tenant: CreatedTenant, mailoutbox: list[EmailMessage]
) -> None:
    sign_up(stranger, email)
    stranger.post(link_in(mailoutbox[0]))
    page = Client().get(f"/invitations/accept/{invitation(tenant, email)}").content.decode()
    assert "You already have a profile here" in page
    assert signs_in(email, FIRST)


def test_a_change_of_address_that_is_not_confirmed_keeps_nobody_from_it(
    stranger: Client, email: str, tenant: CreatedTenant, mailoutbox: list[EmailMessage]
) -> None:
    with operator_work():
        vouch_for(tenant.owner)
        EmailAddress.objects.create(user=tenant.owner, email=email, verified=False, primary=False)
    sign_up(stranger, email)
    stranger.post(link_in(mailoutbox[-1]))
    assert signs_in(email, FIRST)


def test_who_signed_up_and_never_confirmed_is_forgotten_in_time(stranger: Client, email: str) -> None:
    sign_up(stranger, email)
    forget_unconfirmed()
    assert User.objects.filter(email=email).exists()
    joined(8, email)
    forget_unconfirmed()
    assert not User.objects.filter(email=email).exists()


def test_whose_account_has_a_key_is_left_alone(stranger: Client, email: str) -> None:
    sign_up(stranger, email)
    with operator_work():
        theirs = Membership.objects.get(user__email=email).tenant
    with unit_of_work(theirs.id):
        create_key(tenant_id=theirs.id, name="an operator's")
    joined(900, email)
    forget_unconfirmed()
    assert User.objects.filter(email=email).exists()


def test_who_cannot_be_forgotten_keeps_no_other_from_it(stranger: Client, email: str) -> None:
    """The database refuses to delete the first person whom the function looks at."""
    held = f"held-{email}"
    sign_up(stranger, held)
    sign_up(Client(REMOTE_ADDR="10.58.0.4"), email)
    joined(900, held)
    joined(800, email)
    person = User.objects.get(email=held)
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN IF OLD.email LIKE 'held-%' THEN RAISE 'stays'; END IF; RETURN OLD; END $$"
        )
        cursor.execute("CREATE TRIGGER refuse BEFORE DELETE ON tenants_user FOR EACH ROW EXECUTE FUNCTION refuse()")
    try:
        forget_unconfirmed()
    finally:
        with connections["owner"].cursor() as cursor:
            cursor.execute("DROP FUNCTION refuse CASCADE")
    assert User.objects.filter(pk=person.pk).exists()
    assert not User.objects.filter(email=email).exists()


def test_nobody_else_is_forgotten(
    stranger: Client, email: str, tenant: CreatedTenant, mailoutbox: list[EmailMessage]
) -> None:
    """The function keeps people who confirmed, people whom an operator made, and people whom an account has let in."""
    sign_up(stranger, email)
    stranger.post(link_in(mailoutbox[0]))
    sharing = f"sharing-{email}"
    sign_up(Client(REMOTE_ADDR="10.58.0.3"), sharing)
    with operator_work():
        Membership.objects.create(tenant=tenant.tenant, user=User.objects.get(email=sharing), role="viewer")
    kept_people = (email, sharing, tenant.owner.email)
    joined(800, *kept_people)
    forget_unconfirmed()
    for kept in kept_people:
        assert User.objects.filter(email=kept).exists()


def test_who_was_a_moment_earlier_is_told_of_and_no_error_shown(
    email: str, tenant: CreatedTenant, stranger: Client
) -> None:
    """The person is made after the invitation was shown and before it is accepted."""
    token = invitation(tenant, email)
    page = stranger.get(f"/invitations/accept/{token}")
    assert page.status_code == 200
    with operator_work():
        made = User.objects.create_user(email, FIRST)
        vouch_for(made)
    answer = stranger.post(f"/invitations/accept/{token}", {"name": "Ada", "password1": SECOND})
    assert answer.status_code == 200
    with account_work(), pytest.raises(InvitationForOtherUser, match="already has a profile here"):
        accept_as_new(token=token, name="Ada", password=SECOND)


def test_who_has_a_second_step_changes_their_address(
    client: Client, tenant: CreatedTenant, email: str, mailoutbox: list[EmailMessage]
) -> None:
    tenant.owner.set_password(FIRST)
    with operator_work():
        tenant.owner.save()
        vouch_for(tenant.owner)
    give_app(tenant.owner)
    client.force_login(tenant.owner)
    asked = client.post("/account/email", {"email": email, "action_add": ""})
    client.post(asked.headers["Location"], {"password": FIRST})
    client.post(link_in(next(mail for mail in mailoutbox if mail.to == [email])))
    assert User.objects.get(pk=tenant.owner.pk).email == email


def test_whose_address_another_asked_for_confirms_it_all_the_same(
    stranger: Client, email: str, tenant: CreatedTenant
) -> None:
    """Otherwise a person could sign in with any address that somebody else has asked to change theirs to."""
    with operator_work():
        EmailAddress.objects.create(user=tenant.owner, email=email, verified=False, primary=False)
    sign_up(stranger, email)
    assert not signs_in(email, FIRST)
    with operator_work():
        assert not EmailAddress.objects.filter(email=email, verified=True).exists()
