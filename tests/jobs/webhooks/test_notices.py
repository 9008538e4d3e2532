"""Tests of who gets an email when an endpoint is disabled, over a real socket to a mail server."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from pytest_django import Settings

from jobs.webhooks import notices, services
from jobs.webhooks.models import WebhookEndpoint
from maas.settings.mail import mail_settings
from tenants.accounts.models import Membership, User
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.identity.identity import Identity
from tests.fixtures import unique

from .conftest import Post, Receiver
from .mail_server import MailServer


@pytest.fixture
def mail_server(settings: Settings) -> Iterator[MailServer]:
    server = MailServer()
    _send_to(settings, server.port)
    yield server
    server.close()


def _send_to(settings: Settings, port: int) -> None:
    settings.MAAS_EMAIL_URL = f"smtp://127.0.0.1:{port}?starttls=0&from=maas@example.com"
    for name, value in mail_settings(settings.MAAS_EMAIL_URL).items():
        setattr(settings, name, value)


@pytest.fixture(autouse=True)
def _nothing_before() -> None:
    """Mark the notices of other tests as sent."""
    with operator_work():
        WebhookEndpoint.objects.filter(state="disabled").update(notified_at="2026-01-01T00:00:00Z")


def _member(post: Post, role: str, *, is_active: bool = True) -> str:
    with operator_work():
        user = User.objects.create_user(f"{unique(role)}@example.com", is_active=is_active)
    with unit_of_work(post.desk.identity.tenant_id):
        Membership.objects.create(tenant_id=post.desk.identity.tenant_id, user=user, role=role)
        return user.email


def _owners(post: Post) -> set[str]:
    with unit_of_work(post.desk.identity.tenant_id):
        found = Membership.objects.filter(role=Membership.Role.OWNER, user__is_active=True)
        return set(found.values_list("user__email", flat=True))


def _disabled(post: Post, receiver: Receiver) -> WebhookEndpoint:
    made = post.endpoint(receiver)
    receiver.status = 410
    post.ended_job()
    post.send_due()
    return post.again(made.endpoint)


def test_owners_and_admins_are_told_once_each_by_a_mail_of_their_own(
    post: Post, receiver: Receiver, mail_server: MailServer, settings: Settings
) -> None:
    admin = _member(post, Membership.Role.ADMIN)
    _member(post, Membership.Role.DEVELOPER)
    _member(post, Membership.Role.OWNER, is_active=False)
    endpoint = _disabled(post, receiver)
    assert notices.mail_of_disabled_endpoints() == 1
    assert notices.mail_of_disabled_endpoints() == 0
    assert {to for to, _ in mail_server.mails} == {admin, *_owners(post)}
    assert all(mail["To"] == to for to, mail in mail_server.mails)
    _, mail = mail_server.mails[0]
    text = mail.get_payload()
    assert (mail["From"], mail["Subject"]) == ("maas@example.com", "A webhook endpoint was disabled")
    assert receiver.url in text
    assert f"{settings.MAAS_PUBLIC_URL}/webhooks/{endpoint.id}" in text
    assert "410 Gone" in text


def test_what_was_disabled_by_hand_is_mailed_to_nobody(post: Post, receiver: Receiver, mail_server: MailServer) -> None:
    made = post.endpoint(receiver)
    services.change_endpoint(identity=post.desk.identity, endpoint_id=made.endpoint.id, enabled=False)
    assert notices.mail_of_disabled_endpoints() == 0
    assert mail_server.mails == []


def test_an_endpoint_that_is_disabled_anew_is_told_of_anew(
    post: Post, receiver: Receiver, mail_server: MailServer
) -> None:
    endpoint = _disabled(post, receiver)
    notices.mail_of_disabled_endpoints()
    services.change_endpoint(identity=post.desk.identity, endpoint_id=endpoint.id, enabled=True)
    post.ended_job()
    post.send_due()
    assert notices.mail_of_disabled_endpoints() == 1


def test_a_mail_server_that_is_away_is_tried_again(post: Post, receiver: Receiver, settings: Settings) -> None:
    away = MailServer()
    _send_to(settings, away.port)
    away.close()
    _disabled(post, receiver)
    assert notices.mail_of_disabled_endpoints() == 0
    server = MailServer()
    _send_to(settings, server.port)
    assert notices.mail_of_disabled_endpoints() == 0, "a moment later it is not asked again"
    _make_due(post)
    assert notices.mail_of_disabled_endpoints() == 1
    server.close()


GREYLISTED = "451 come again in five minutes"


def test_who_is_put_off_by_the_mail_server_is_told_later_and_nobody_twice(
    post: Post, receiver: Receiver, mail_server: MailServer
) -> None:
    later = _member(post, Membership.Role.ADMIN)
    mail_server.puts_off[later] = GREYLISTED
    _disabled(post, receiver)
    assert notices.mail_of_disabled_endpoints() == 1
    assert {to for to, _ in mail_server.mails} == _owners(post)
    mail_server.puts_off.clear()
    assert notices.mail_of_disabled_endpoints() == 0
    _make_due(post)
    assert notices.mail_of_disabled_endpoints() == 1
    assert sorted(to for to, _ in mail_server.mails) == sorted({later, *_owners(post)})
    _make_due(post)
    assert notices.mail_of_disabled_endpoints() == 0


def test_a_server_that_hangs_up_over_one_recipient_still_hears_of_the_others(
    post: Post, receiver: Receiver, mail_server: MailServer
) -> None:
    first = min(_owners(post))
    other = _member(post, Membership.Role.ADMIN)
    mail_server.puts_off[first] = "421 too many for now"
    _disabled(post, receiver)
    assert notices.mail_of_disabled_endpoints() == 1
    assert [to for to, _ in mail_server.mails] == [other]


def test_one_endpoint_whose_owners_are_put_off_keeps_no_other_from_being_told(
    post: Post, receiver: Receiver, mail_server: MailServer, other_identity: Identity
) -> None:
    for owner in _owners(post):
        mail_server.puts_off[owner] = GREYLISTED
    _disabled(post, receiver)
    other = replace(post, desk=replace(post.desk, identity=other_identity))
    receiver.status = 200
    _disabled(other, receiver)
    assert notices.mail_of_disabled_endpoints() == 1
    assert {to for to, _ in mail_server.mails} == _owners(other)


def test_a_notice_is_tried_less_and_less_often_and_for_a_day_at_most(
    post: Post, receiver: Receiver, mail_server: MailServer
) -> None:
    assert [notices.pause_s(tries) for tries in (1, 2, 3, 7, 1000)] == [60, 120, 240, 3600, 3600]
    for owner in _owners(post):
        mail_server.puts_off[owner] = GREYLISTED
    endpoint = _disabled(post, receiver)
    for tries in (1, 2):
        _make_due(post)
        notices.mail_of_disabled_endpoints()
        assert post.again(endpoint).notice_tries == tries
    post.sql("UPDATE jobs_webhookendpoint SET disabled_at = now() - interval '25 hours' WHERE true")
    _make_due(post)
    notices.mail_of_disabled_endpoints()
    assert post.again(endpoint).notice_tries == 2


def test_a_process_that_died_over_a_notice_is_stood_in_for(
    post: Post, receiver: Receiver, mail_server: MailServer
) -> None:
    endpoint = _disabled(post, receiver)
    with operator_work():
        notices._taken()
    assert notices.mail_of_disabled_endpoints() == 0
    _make_due(post)
    assert notices.mail_of_disabled_endpoints() == 1
    assert post.again(endpoint).notified_at is not None


def _make_due(post: Post) -> None:
    post.sql("UPDATE jobs_webhookendpoint SET next_notice_at = now() WHERE next_notice_at IS NOT NULL")


def test_an_address_that_is_refused_keeps_no_other_from_being_told(
    post: Post, receiver: Receiver, mail_server: MailServer
) -> None:
    mail_server.refuses = _member(post, Membership.Role.ADMIN)
    _disabled(post, receiver)
    notices.mail_of_disabled_endpoints()
    assert {to for to, _ in mail_server.mails} == _owners(post)
    assert notices.mail_of_disabled_endpoints() == 0


def test_without_a_mail_server_nothing_is_mailed_and_nothing_counted_as_told(
    post: Post, receiver: Receiver, settings: Settings
) -> None:
    settings.MAAS_EMAIL_URL = ""
    endpoint = _disabled(post, receiver)
    assert notices.mail_of_disabled_endpoints() == 0
    assert post.again(endpoint).notified_at is None
