"""Tests of which callers are admitted, and which of them may stay."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from jobs.streaming.authorizer import HANDSHAKES_A_MINUTE, Authorizer, good_still, origin_allowed
from jobs.streaming.credentials import Credential, Sessions
from tenants.accounts.members import change_role, remove_member
from tenants.accounts.models import Membership, User
from tenants.api.authentication import IDENTITY
from tenants.api_keys.models import ApiKey
from tenants.authentication.selectors import identify_member
from tenants.core.asgi.client_ip_limit import TooManyTries
from tenants.core.asgi.credentials import UnknownCallers
from tenants.core.asgi.protocol import Scope
from tenants.core.asgi.threads import DatabaseThreads
from tenants.core.db.unit_of_work import operator_work
from tenants.core.errors import NotSignedIn
from tenants.identity.identity import Identity
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique


@pytest.mark.parametrize(("lifetime", "good"), [(timedelta(minutes=30), True), (-timedelta(minutes=30), False)])
@pytest.mark.parametrize("wrong_by", [-timedelta(hours=1), timedelta(hours=1)])
def test_a_key_expires_by_the_databases_clock_however_wrong_this_machines_is(
    identity: Identity, monkeypatch: pytest.MonkeyPatch, lifetime: timedelta, good: bool, wrong_by: timedelta
) -> None:
    now = timezone.now()
    assert identity.key_id is not None
    with operator_work():
        ApiKey.objects.filter(id=identity.key_id).update(expires_at=now + lifetime)
    monkeypatch.setattr(timezone, "now", lambda: now + wrong_by)
    assert good_still(Credential(identity)) is good


@pytest.mark.parametrize("by_session", [False, True])
def test_who_is_removed_or_may_see_no_jobs_any_more_does_not_stay(
    tenant: CreatedTenant, client: Client, by_session: bool
) -> None:
    with operator_work():
        user = User.objects.create_user(f"{unique('member')}@example.com")
        member = Membership.objects.create(tenant=tenant.tenant, user=user, role="viewer")
    client.force_login(user)
    owner, identity = identify_member(tenant.owner.id), identify_member(user.id)
    assert owner is not None
    assert identity is not None
    held = Credential(identity, client.session.session_key if by_session else None)
    assert good_still(held)
    change_role(identity=owner, membership_id=str(member.pk), role="billing")
    assert not good_still(held)
    change_role(identity=owner, membership_id=str(member.pk), role="viewer")
    assert good_still(held)
    remove_member(identity=owner, membership_id=str(member.pk))
    assert not good_still(held)


@pytest.fixture
def authorizer() -> Iterator[Authorizer]:
    threads, unknown_callers = DatabaseThreads("doorman", 1), UnknownCallers()
    yield Authorizer(threads, Sessions(threads, unknown_callers), unknown_callers)
    threads.close()


def handshake(address: str, identity: Identity | None = None) -> Scope:
    """Return a handshake without a ticket and without a session."""
    scope: Scope = {"type": "websocket", "client": (address, 4711), "headers": [], "query_string": b""}
    return scope if identity is None else {**scope, IDENTITY: identity}


async def refusal(authorizer: Authorizer, address: str) -> TooManyTries:
    """Return the first refusal before authentication, after the tries that become free meanwhile."""
    for _ in range(HANDSHAKES_A_MINUTE):
        try:
            await authorizer.admit(handshake(address))
        except NotSignedIn:
            continue
        except TooManyTries as refused:
            return refused
    raise AssertionError("nobody was refused")


def test_a_place_that_opens_too_many_sockets_is_refused_and_no_other_is(
    authorizer: Authorizer, identity: Identity
) -> None:
    async def knock() -> None:
        for _ in range(HANDSHAKES_A_MINUTE):
            with pytest.raises(NotSignedIn):
                await authorizer.admit(handshake("192.0.2.1"))
        refused = await refusal(authorizer, "192.0.2.1")
        said = "Too many WebSockets were opened from your IP address. Connect again in 1 s."
        assert (str(refused), refused.code) == (said, "rate_limited")
        assert refused.extra == {"gate": "client_ip", "retry_after_s": 1}
        with pytest.raises(NotSignedIn):
            await authorizer.admit(handshake("192.0.2.2"))
        # A caller with a key has limits of its own.
        assert await authorizer.admit(handshake("192.0.2.1", identity)) == Credential(identity, address="192.0.2.1")

    asyncio.run(knock())


def _allowed(origin: str, host: str) -> bool:
    return origin_allowed(
        origin, host, allowed_hosts=["maas.example", "127.0.0.1", "[::1]"], trusted=["https://front.example"]
    )


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("https://maas.example", "maas.example"),
        ("https://maas.example", "maas.example:443"),
        ("http://127.0.0.1:8000", "127.0.0.1:8000"),
        ("http://MAAS.example", "maas.example"),
        ("http://[::1]:8000", "[::1]:8000"),
        ("https://front.example", "maas.example"),
    ],
)
def test_our_own_pages_and_trusted_ones_are_welcome(origin: str, host: str) -> None:
    assert _allowed(origin, host)


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("https://evil.example", "maas.example"),
        ("https://maas.example.evil.example", "maas.example"),
        ("https://evil.example", "evil.example"),
        ("http://127.0.0.1:9000", "127.0.0.1:8000"),
        ("null", "maas.example"),
        ("", "maas.example"),
        ("file://", "maas.example"),
        ("https://maas.example", ""),
        ("http://front.example", "maas.example"),
        ("http://maas.example:99999999", "maas.example"),
    ],
)
def test_all_others_are_not(origin: str, host: str) -> None:
    assert not _allowed(origin, host)
