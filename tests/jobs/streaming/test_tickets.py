"""Test that a ticket works once, and gives the same access as that for which it was issued."""

from dataclasses import replace

import pytest
import redis
from django.conf import settings

from jobs.streaming.credentials import Credential
from jobs.streaming.tickets import LIFETIME_S, issue_ticket, redeem_ticket
from tenants.identity.identity import Identity
from tenants.limits.rates.limits import UNLIMITED

SESSION_KEY = "0123456789abcdefghijklmnopqrstuv"


@pytest.mark.parametrize("session_key", [None, SESSION_KEY])
def test_a_ticket_brings_back_what_it_was_issued_for_once(identity: Identity, session_key: str | None) -> None:
    held = Credential(identity, session_key)
    ticket = issue_ticket(held)
    # The ticket keeps everything except the limits of requests, because a socket makes no requests.
    assert redeem_ticket(ticket) == Credential(replace(identity, rates=UNLIMITED), session_key)
    assert redeem_ticket(ticket) is None


def test_an_unknown_ticket_opens_nothing() -> None:
    assert redeem_ticket("nonsense") is None
    assert redeem_ticket("") is None


def test_what_is_stored_expires_and_is_no_ticket(identity: Identity) -> None:
    ticket = issue_ticket(Credential(identity, SESSION_KEY))
    client = redis.Redis.from_url(settings.MAAS_REDIS_URL)
    keys = [key.decode() for key in client.scan_iter("maas:ticket:*")]
    assert keys
    assert all(ticket not in key and 0 < client.ttl(key) <= LIFETIME_S for key in keys)
    stored = str(client.mget(keys))
    assert '"session": "' in stored
    assert SESSION_KEY not in stored
