"""Tests that a password that is lost or known to others is changed by its owner, and by nobody else."""

from django.contrib.auth import SESSION_KEY
from django.core.mail import EmailMessage
from django.test import Client

from tenants.onboarding.create_tenant import CreatedTenant
from tests.tenants.dashboard.accounts.conftest import link_in

PASSWORD = "correct horse"
NEW = "battery staple"


def signs_in(email: str, password: str) -> bool:
    answer = Client(REMOTE_ADDR="10.61.0.1").post("/sign-in", {"username": email, "password": password})
    return answer.status_code == 302


def ask_for_address(client: Client, tenant: CreatedTenant, email: str) -> None:
    """Request a change of address. The request waits until the password is entered once more."""
    client.post("/sign-in", {"username": tenant.owner.email, "password": PASSWORD})
    asked = client.post("/account/email", {"action_add": "1", "email": email})
    assert asked.headers["Location"] == "/sign-in/again?next=%2Faccount%2Femail"
    again = client.post("/sign-in/again", {"password": PASSWORD, "next": "/account/email"})
    assert again.headers["Location"] == "/account/email"


def test_a_forgotten_password_is_chosen_anew_once(
    stranger: Client, tenant: CreatedTenant, mailoutbox: list[EmailMessage]
) -> None:
    elsewhere = Client()
    elsewhere.force_login(tenant.owner)
    assert stranger.post("/password/forgotten", {"email": tenant.owner.email.upper()}).status_code == 302
    link = link_in(mailoutbox[0])
    form = stranger.get(link, follow=True)
    where = form.redirect_chain[-1][0]
    assert stranger.post(where, {"password1": NEW}).headers["Location"] == "/password/renewed"
    assert (signs_in(tenant.owner.email, PASSWORD), signs_in(tenant.owner.email, NEW)) == (False, True)
    assert elsewhere.get("/jobs").status_code == 302, "whoever was signed in is so no more"
    assert "no longer works" in Client().get(link).content.decode()


def test_an_unknown_address_reads_the_same_and_is_written_to(
    stranger: Client, tenant: CreatedTenant, email: str, mailoutbox: list[EmailMessage]
) -> None:
    known = stranger.post("/password/forgotten", {"email": tenant.owner.email})
    unknown = stranger.post("/password/forgotten", {"email": email})
    assert (known.status_code, known.headers["Location"]) == (
        unknown.status_code,
        unknown.headers["Location"],
    )
    assert [mail.to for mail in mailoutbox] == [[tenant.owner.email], [email]]
    assert "No account there uses it" in mailoutbox[1].body


def test_a_password_is_changed_by_who_knows_it(
    client: Client, tenant: CreatedTenant, mailoutbox: list[EmailMessage]
) -> None:
    elsewhere = Client()
    for browser in (client, elsewhere):
        browser.force_login(tenant.owner)
    wrong = client.post("/account/password", {"oldpassword": "wrong", "password1": NEW})
    assert "Wrong current password." in wrong.content.decode()
    right = client.post("/account/password", {"oldpassword": PASSWORD, "password1": NEW})
    assert right.headers["Location"] == "/account"
    assert "Password changed." in client.get("/account").content.decode()
    assert elsewhere.get("/jobs").status_code == 302
    assert mailoutbox[-1].subject == "Your password was changed"


def test_whoever_finds_an_open_screen_guesses_no_password_there(client: Client, tenant: CreatedTenant) -> None:
    client.force_login(tenant.owner)
    for _ in range(10):
        client.post("/account/password", {"oldpassword": "wrong", "password1": NEW})
    answer = client.post("/account/password", {"oldpassword": PASSWORD, "password1": NEW})
    assert answer.status_code == 429


def test_an_address_changes_once_the_new_one_is_confirmed(
    client: Client, tenant: CreatedTenant, email: str, mailoutbox: list[EmailMessage]
) -> None:
    ask_for_address(client, tenant, email)
    assert mailoutbox[0].to == [email]
    assert signs_in(tenant.owner.email, PASSWORD)
    early = Client(REMOTE_ADDR="10.61.0.2")
    early.post("/sign-in", {"username": email, "password": PASSWORD})
    assert SESSION_KEY not in early.session, "it is sent on to be confirmed"
    assert f"<strong>{email}</strong>" in client.get("/account").content.decode()
    client.post(link_in(mailoutbox[0]))
    assert signs_in(email, PASSWORD)
    assert not signs_in(tenant.owner.email, PASSWORD)


def test_a_change_of_address_can_be_given_up(
    client: Client, tenant: CreatedTenant, email: str, mailoutbox: list[EmailMessage]
) -> None:
    ask_for_address(client, tenant, email)
    client.post("/account/email/keep")
    assert email not in client.get("/account").content.decode()
    client.post(link_in(mailoutbox[0]))
    assert signs_in(tenant.owner.email, PASSWORD)


def test_nobody_takes_the_address_of_another(
    client: Client, tenant: CreatedTenant, other_tenant: CreatedTenant, mailoutbox: list[EmailMessage]
) -> None:
    ask_for_address(client, tenant, other_tenant.owner.email)
    for mail in mailoutbox:
        if "/confirm-email/" in mail.body:
            client.post(link_in(mail))
    assert signs_in(tenant.owner.email, PASSWORD)
    assert signs_in(other_tenant.owner.email, PASSWORD)


def test_a_name_is_saved(client: Client, tenant: CreatedTenant) -> None:
    client.force_login(tenant.owner)
    client.post("/account", {"name": "Ada Lovelace"})
    assert "Ada Lovelace" in client.get("/account").content.decode()
