"""Test that an admitted caller is disconnected as soon as a change is announced that ends its access."""

import asyncio
from collections.abc import Callable

from jobs.streaming.authorizer import Authorizer
from jobs.streaming.credential_checks import CredentialChecks
from jobs.streaming.credentials import Credential, Sessions
from tenants.api_keys.services import keep_key_to, revoke_key
from tenants.core.asgi.credentials import UnknownCallers
from tenants.core.asgi.threads import DatabaseThreads
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity

LONG_S = 3600.0
"""Seconds for which the authorizer would rely on what it knows."""


def shown_out(held: Credential, other: Credential, action: Callable[[], object]) -> tuple[bool, bool]:
    """Return for both holders whether they have to leave once a change of the first one's account is announced."""

    async def run() -> tuple[bool, bool]:
        threads, unknown_callers = DatabaseThreads("events", 1), UnknownCallers()
        authorizer = Authorizer(threads, Sessions(threads, unknown_callers), unknown_callers, recheck_s=LONG_S)
        credential_checks, told = CredentialChecks(authorizer), asyncio.Event()
        try:
            assert await authorizer.still_good(held)
            with (
                credential_checks.received(held, told.set) as one,
                credential_checks.received(other, told.set) as two,
            ):
                await asyncio.to_thread(action)
                assert await authorizer.still_good(held)
                credential_checks.look_again(held.identity.tenant_id)
                async with asyncio.timeout(30):
                    await told.wait()
                return not one.welcome, not two.welcome
        finally:
            threads.close()
            unknown_callers.close()

    return asyncio.run(run())


def test_whose_key_was_revoked_leaves_at_once_and_nobody_else(identity: Identity, other_identity: Identity) -> None:
    def revoke() -> None:
        assert identity.key_id is not None
        with unit_of_work(identity.tenant_id):
            revoke_key(key_id=identity.key_id)

    assert shown_out(Credential(identity), Credential(other_identity), revoke) == (True, False)


def test_whose_key_is_kept_to_other_networks_leaves_and_who_comes_from_there_stays(
    identity: Identity,
) -> None:
    def restrict() -> None:
        assert identity.key_id is not None
        with unit_of_work(identity.tenant_id):
            keep_key_to(key_id=identity.key_id, allowed_models=(), allowed_networks=["203.0.113.0/24"])

    from_elsewhere, from_there = (Credential(identity, address=one) for one in ("192.0.2.1", "203.0.113.9"))
    assert shown_out(from_elsewhere, from_there, restrict) == (True, False)
