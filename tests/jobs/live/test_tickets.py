"""Tickets are good once, and for the same as what they were issued for."""

import redis
from django.conf import settings

from jobs.live.tickets import LIFETIME_S, issue_ticket, redeem_ticket
from tenants.identity import Identity


def test_a_ticket_brings_back_its_identity_once(identity: Identity) -> None:
    ticket = issue_ticket(identity)
    assert redeem_ticket(ticket) == identity
    assert redeem_ticket(ticket) is None


def test_an_unknown_ticket_opens_nothing() -> None:
    assert redeem_ticket("nonsense") is None
    assert redeem_ticket("") is None


def test_what_is_stored_expires_and_is_no_ticket(identity: Identity) -> None:
    ticket = issue_ticket(identity)
    client = redis.Redis.from_url(settings.MAAS_REDIS_URL)
    keys = [key.decode() for key in client.scan_iter("maas:ticket:*")]
    assert keys
    assert all(ticket not in key and 0 < client.ttl(key) <= LIFETIME_S for key in keys)
