"""Tests of the request log behind a real server, and of the log alone while Redis is away."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import httpx
import pytest
import redis
from django.conf import settings
from django.utils import timezone

from jobs.intake.intake import Intake
from jobs.streaming.credentials import Sessions
from maas.web.guard import journal as journal_module
from maas.web.guard.guard import EdgeGuard
from maas.web.guard.journal import LONGEST_CLIENT, LONGEST_QUERY, MAX_WAITING, Journal, Note, entry_of
from maas.web.guard.key_use import KeyUse
from maas.web.guard.keys import KeyRing
from tenants.api_keys.format import new_key
from tenants.api_keys.models import ApiKey
from tenants.core.asgi.credentials import UnknownCallers
from tenants.core.asgi.protocol import REQUEST_ID, Receive, Scope, Send
from tenants.core.asgi.stopping import Stop
from tenants.core.asgi.threads import DatabaseThreads
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity
from tenants.limits.rates.desk import Desk
from tenants.onboarding.create_tenant import CreatedTenant
from tenants.request_log.entries import LONGEST_MADE, LONGEST_PATH, LogEntry
from tenants.request_log.minutes import counted, minute_key
from tenants.request_log.store import KEPT, recent_requests
from tests.maas.granian_server import GranianServer
from tests.waiting import eventually

HOUR = timedelta(hours=1)
NOWHERE = "redis://127.0.0.1:1/0"


def ask(server: GranianServer, path: str, key: str, **more: Any) -> httpx.Response:
    return httpx.get(f"{server.url}{path}", headers={"Authorization": f"Bearer {key}"}, **more)


def journal_of(tenant: CreatedTenant) -> list[LogEntry]:
    return eventually(lambda: recent_requests(tenant.tenant.id), "a request in the journal")


def minutes_total(field: str) -> int:
    client = redis.Redis.from_url(settings.MAAS_CACHE_URL)
    return sum(int(client.hget(key, field) or 0) for key in client.keys("requests:*"))


def test_a_request_is_told_to_its_tenant(telling_server: GranianServer, tenant: CreatedTenant) -> None:
    ask(telling_server, "/v1/echo", tenant.key.text, params={"limit": 2, "q": "secret words"})
    [entry] = journal_of(tenant)
    assert (entry.method, entry.status, entry.key_id) == ("GET", 200, str(tenant.key.key.id))
    assert entry.path == "/v1/echo?limit=2&q=…"
    assert 0 < entry.ms < 60_000


def test_a_refusal_is_told_with_its_words(telling_server: GranianServer, tenant: CreatedTenant) -> None:
    headers = {"Authorization": f"Bearer {tenant.key.text}"}
    httpx.post(f"{telling_server.url}/v1/echo", headers=headers, content=b"x" * 9_000_000)
    [entry] = journal_of(tenant)
    assert (entry.status, entry.problem_fields["code"]) == (413, "request_too_large")
    assert entry.problem_fields["request_id"] == entry.request_id


def test_what_is_no_tenants_is_counted_and_told_to_nobody(telling_server: GranianServer, tenant: CreatedTenant) -> None:
    before = minutes_total("4xx")
    assert ask(telling_server, "/v1/echo", new_key(livemode=True).text).status_code == 401
    eventually(lambda: minutes_total("4xx") > before, "the count of refusals")
    assert recent_requests(tenant.tenant.id) == []


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"revoked_at": timezone.now() - HOUR}, "api_key_revoked"),
        ({"expires_at": timezone.now() - HOUR}, "api_key_expired"),
    ],
    ids=["revoked", "expired"],
)
def test_the_use_of_an_ended_key_is_told_to_its_tenant_and_is_no_use(
    telling_server: GranianServer, tenant: CreatedTenant, change: dict[str, Any], code: str
) -> None:
    with unit_of_work(tenant.tenant.id):
        ApiKey.objects.update(**change)
    for _ in range(2):  # The second is refused from memory.
        assert ask(telling_server, "/v1/echo", tenant.key.text).status_code == 401
    entries = eventually(lambda: two_of(tenant), "both in the journal")
    assert {(entry.problem_fields["code"], entry.key_id) for entry in entries} == {(code, str(tenant.key.key.id))}
    with unit_of_work(tenant.tenant.id):
        assert ApiKey.objects.get().last_used_at is None


def two_of(tenant: CreatedTenant) -> list[LogEntry]:
    entries = recent_requests(tenant.tenant.id)
    return entries if len(entries) == 2 else []


def test_a_wrong_secret_is_told_to_nobody_even_where_the_key_has_ended(
    telling_server: GranianServer, tenant: CreatedTenant
) -> None:
    with unit_of_work(tenant.tenant.id):
        ApiKey.objects.update(revoked_at=timezone.now() - HOUR)
    forged = replace(new_key(livemode=True), public_id=tenant.key.key.public_id)
    refused = ask(telling_server, "/v1/echo", forged.text)
    assert (refused.status_code, refused.json()["code"]) == (401, "invalid_api_key")
    # The entries are sent in the order in which they came.
    ask(telling_server, "/v1/echo", tenant.key.text)
    assert [entry.problem_fields["code"] for entry in journal_of(tenant)] == ["api_key_revoked"]


def test_pages_for_people_are_not_told(telling_server: GranianServer, tenant: CreatedTenant) -> None:
    ask(telling_server, "/echo", tenant.key.text)
    ask(telling_server, "/v1/echo", tenant.key.text)
    assert [entry.path for entry in journal_of(tenant)] == ["/v1/echo"]


def test_no_whole_key_is_ever_told(telling_server: GranianServer, tenant: CreatedTenant) -> None:
    key = tenant.key.text
    headers = {"Authorization": f"Bearer {key}", "User-Agent": f"curl {key}"}
    httpx.get(f"{telling_server.url}/v1/{key}", headers=headers)
    told = str(journal_of(tenant))
    assert key not in told
    assert tenant.key.key.prefix in told


def test_the_use_of_a_key_is_written_down(telling_server: GranianServer, tenant: CreatedTenant) -> None:
    ask(telling_server, "/v1/echo", tenant.key.text)

    def used() -> ApiKey | None:
        with unit_of_work(tenant.tenant.id):
            return ApiKey.objects.filter(last_used_at__isnull=False).first()

    assert eventually(used, "the key's last use").id == tenant.key.key.id


def scope_of(path: str) -> dict[str, Any]:
    return {"path": path, "query_string": b"", "headers": [], "method": "GET", REQUEST_ID: path}


@pytest.fixture
def make_journal() -> Callable[[str], Journal]:
    return lambda url: Journal(url, KeyUse(DatabaseThreads("test-key-use", 1)))


def test_without_redis_the_newest_notes_wait_and_memory_is_bounded(
    make_journal: Callable[[str], Journal],
) -> None:
    async def scenario() -> list[str]:
        journal = make_journal(NOWHERE)
        for number in range(MAX_WAITING + 10):
            if number == MAX_WAITING - 5:
                with pytest.raises(redis.RedisError):
                    await journal.tell()
            journal.close(journal.open(scope_of(str(number))))
        return [note.path for note in journal._waiting]

    waiting = asyncio.run(scenario())
    assert len(waiting) == MAX_WAITING
    assert (waiting[0], waiting[-1]) == ("10", str(MAX_WAITING + 9))


def test_a_tenants_list_is_bounded(make_journal: Callable[[str], Journal], identity: Identity) -> None:
    async def scenario() -> None:
        journal = make_journal(settings.MAAS_CACHE_URL)
        for round_of_notes in range(2):
            for number in range(KEPT - 100):
                note = journal.open(scope_of(f"{round_of_notes}-{number}"))
                note.caller.identity = identity
                journal.close(note)
            await journal.tell()
        await journal.stop()

    asyncio.run(scenario())
    entries = recent_requests(identity.tenant_id)
    assert len(entries) == KEPT
    assert entries[0].path == f"1-{KEPT - 101}"


@pytest.mark.parametrize(("method", "status", "told"), [("GET", 200, 0), ("GET", 404, 1), ("POST", 200, 1)], ids=str)
def test_of_people_only_what_they_do_and_what_goes_wrong_is_told(
    make_journal: Callable[[str], Journal], identity: Identity, method: str, status: int, told: int
) -> None:
    async def scenario() -> None:
        journal = make_journal(settings.MAAS_CACHE_URL)
        note = journal.open(scope_of("/v1/jobs") | {"method": method})
        note.caller.identity = replace(identity, key_id=None, user_id=identity.key_id)
        note.see({"type": "http.response.start", "status": status})
        journal.close(note)
        await journal.tell()
        await journal.stop()

    asyncio.run(scenario())
    assert len(recent_requests(identity.tenant_id)) == told


def test_a_request_whose_caller_hung_up_has_no_status_of_ours(make_journal: Callable[[str], Journal]) -> None:
    async def scenario() -> LogEntry:
        return entry_of(make_journal(NOWHERE).open(scope_of("/v1/jobs")))

    assert asyncio.run(scenario()).status == 499


@pytest.mark.parametrize(
    ("method", "status", "location", "made"),
    [
        ("POST", 202, "/v1/jobs/1", "/v1/jobs/1"),
        ("GET", 302, "/elsewhere", ""),
        ("POST", 400, "/v1/jobs/1", ""),
        ("POST", 202, "/" + "x" * LONGEST_MADE, ""),
    ],
    ids=["made", "only read", "refused", "too long"],
)
def test_the_place_of_what_was_made_is_told(
    make_journal: Callable[[str], Journal], method: str, status: int, location: str, made: str
) -> None:
    async def scenario() -> LogEntry:
        note = make_journal(NOWHERE).open(scope_of("/v1/jobs") | {"method": method})
        headers = [(b"content-type", b"text/plain"), (b"Location", location.encode())]
        note.see({"type": "http.response.start", "status": status, "headers": headers})
        note.see({"type": "http.response.body", "body": b'{"a": "secret"}'})
        return entry_of(note)

    entry = asyncio.run(scenario())
    assert entry.made == made
    assert bool(entry.problem) == (status >= 400)


def test_the_minute_counts_what_the_cache_did_and_no_other_word(
    make_journal: Callable[[str], Journal],
) -> None:
    async def scenario() -> list[str]:
        note = make_journal(NOWHERE).open(scope_of("/v1/embeddings") | {"method": "POST"})
        known = []
        for word in (b"HIT", b"COALESCED", b"made up"):
            headers = [(b"x-cache", word)]
            note.see({"type": "http.response.start", "status": 200, "headers": headers})
            known.append(note.known)
        return known

    known = asyncio.run(scenario())
    assert known == ["HIT", "COALESCED", ""]
    (minute,) = counted([(60.0, 200, 1.0, word) for word in known]).values()
    assert (minute.fields["count"], minute.fields["cache:HIT"], minute.fields["cache:COALESCED"]) == (3, 1, 1)
    assert "cache:" not in minute.fields


def test_no_more_waits_in_memory_than_is_told(make_journal: Callable[[str], Journal]) -> None:
    async def scenario() -> Note:
        long = {"query_string": b"q" * 60_000, "headers": [(b"user-agent", b"a" * 60_000)]}
        return make_journal(NOWHERE).open(scope_of("/v1/" + "x" * 60_000) | long)

    note = asyncio.run(scenario())
    assert (len(note.path), len(note.query), len(note.client)) == (
        LONGEST_PATH,
        LONGEST_QUERY,
        LONGEST_CLIENT,
    )


def test_what_is_sent_twice_is_shown_once(make_journal: Callable[[str], Journal], identity: Identity) -> None:
    """Redis accepted the batch, but its answer was lost."""

    async def scenario() -> None:
        journal = make_journal(settings.MAAS_CACHE_URL)
        note = journal.open(scope_of("/v1/jobs"))
        note.caller.identity = identity
        journal.close(note)
        await journal._send([note])
        await journal.tell()
        await journal.stop()

    asyncio.run(scenario())
    assert len(recent_requests(identity.tenant_id)) == 1


async def closes_quietly(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "websocket.close", "code": 1008})


async def opens(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.close", "code": 1000})


async def hangs_up(scope: Scope, receive: Receive, send: Send) -> None:
    return


@pytest.mark.parametrize(("inner", "status"), [(closes_quietly, 403), (opens, 101), (hangs_up, 499)])
def test_every_socket_is_told_once(make_journal: Callable[[str], Journal], inner: Any, status: int) -> None:
    async def scenario() -> list[int]:
        async def ignore(message: object) -> None:
            return

        journal = make_journal(NOWHERE)
        threads, unknown_callers = DatabaseThreads("test-guard", 1), UnknownCallers()
        keys, sessions = KeyRing(threads, unknown_callers), Sessions(threads, unknown_callers)
        guard = EdgeGuard(inner, keys, sessions, Stop(), journal, desk=Desk(settings.MAAS_REDIS_URL), intake=Intake(8))
        scope = scope_of("/ws/events") | {"type": "websocket"}
        await guard(scope, ignore, ignore)  # type: ignore[arg-type]  # nothing is received
        return [note.status for note in journal._waiting]

    assert asyncio.run(scenario()) == [status]


def test_a_minute_has_its_own_hash_that_expires(telling_server: GranianServer, tenant: CreatedTenant) -> None:
    ask(telling_server, "/v1/echo", tenant.key.text)
    [entry] = journal_of(tenant)
    client = redis.Redis.from_url(settings.MAAS_CACHE_URL)
    key = minute_key(int(entry.at // 60))
    fields = client.hgetall(key)
    assert int(fields[b"count"]) >= int(fields[b"2xx"]) >= 1
    assert b"ms_total" in fields
    assert 0 < client.ttl(key) <= 7200


def test_it_stops_whatever_it_is_at(
    make_journal: Callable[[str], Journal], identity: Identity, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A task that is canceled in the middle of redis-py's work may go on as if nothing had happened."""
    monkeypatch.setattr(journal_module, "EVERY_S", 0.0)

    async def scenario() -> None:
        for number in range(100):
            journal = make_journal(settings.MAAS_CACHE_URL)
            journal.start()
            ends_s = asyncio.get_running_loop().time() + number / 20_000
            while asyncio.get_running_loop().time() < ends_s:
                note = journal.open(scope_of("/v1/jobs"))
                note.caller.identity = identity
                journal.close(note)
                await asyncio.sleep(0)
            async with asyncio.timeout(10):
                await journal.stop()

    asyncio.run(scenario())
