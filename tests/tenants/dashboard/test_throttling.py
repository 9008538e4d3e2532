"""Tests that guessing passwords is slow, and that nobody is locked out for longer than ten minutes."""

import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from ipaddress import IPv4Address

import pytest
import redis
from django.conf import settings
from django.http import HttpResponse
from django.test import Client

from tenants.accounts.models import User
from tenants.core.asgi.client_ip import client_address, place_of
from tenants.core.redis.cache import cache_redis
from tenants.dashboard.sign_in.attempts import (
    PER_EMAIL,
    PER_PAIR,
    PER_PLACE,
    WINDOW_S,
    Attempt,
    reserve,
    take_back,
)
from tenants.dashboard.sign_in.known_browsers import COOKIE
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique

PASSWORD = "correct horse"
_numbers = itertools.count()


@pytest.fixture
def address() -> str:
    """Return a client IP of the test's own, since tests share one machine."""
    return str(IPv4Address("10.0.0.1") + next(_numbers))


@pytest.fixture
def guesser(address: str) -> Client:
    return Client(REMOTE_ADDR=address)


def sign_in(client: Client, email: str, password: str = "wrong", path: str = "/sign-in") -> HttpResponse:
    return client.post(path, {"username": email, "password": password})  # type: ignore[return-value]


def fail_often(email: str, address: str, times: int) -> None:
    for _ in range(times):
        reserve(Attempt(email, address))


def wait_s(attempt: Attempt) -> int:
    left_s = reserve(attempt)
    if not left_s:
        take_back(attempt)
    return left_s


def test_the_tenth_failure_is_the_last_for_a_while(guesser: Client, tenant: CreatedTenant, address: str) -> None:
    email = tenant.owner.email
    fail_often(email, address, PER_PAIR - 1)
    assert sign_in(guesser, email).status_code == 200
    page = sign_in(guesser, email.upper(), PASSWORD)
    assert page.status_code == 429
    assert 0 < int(page["Retry-After"]) <= WINDOW_S
    assert "Too many failed sign-ins" in page.content.decode()
    assert f'data-seconds="{page["Retry-After"]}"' in page.content.decode()
    assert "_auth_user_id" not in guesser.session


def test_whoever_fails_on_purpose_keeps_nobody_else_out(guesser: Client, tenant: CreatedTenant, address: str) -> None:
    fail_often(tenant.owner.email, unique("elsewhere"), PER_EMAIL + 1)
    assert sign_in(guesser, tenant.owner.email, PASSWORD).status_code == 302


def test_a_crowd_that_guesses_one_password_is_stopped(tenant: CreatedTenant) -> None:
    email = tenant.owner.email
    for number in range(PER_EMAIL):
        reserve(Attempt(email, f"{tenant.tenant.id} {number}"))
    assert wait_s(Attempt(email, unique("another"))) > 0


def test_a_crowd_keeps_nobody_out_of_a_browser_that_they_know(guesser: Client, tenant: CreatedTenant) -> None:
    """An attacker with a network of addresses could go on for ever, so the limit must not hold for a browser that is
    known.
    """
    email = tenant.owner.email
    assert sign_in(guesser, email, PASSWORD).status_code == 302
    guesser.post("/sign-out")
    for number in range(PER_EMAIL):
        fail_often(email, f"10.8.{number}.1", 1)
    fail_often("everybody@example.com", str(guesser.defaults["REMOTE_ADDR"]), PER_PLACE)
    assert sign_in(Client(REMOTE_ADDR="10.7.0.2"), email, PASSWORD).status_code == 429
    assert sign_in(guesser, email, PASSWORD).status_code == 302


def test_a_known_browser_guesses_no_more_than_any(guesser: Client, tenant: CreatedTenant, address: str) -> None:
    """The limit holds for its owner's password and for the password of another person."""
    sign_in(guesser, tenant.owner.email, PASSWORD)
    guesser.post("/sign-out")
    tried = [sign_in(guesser, tenant.owner.email).status_code for _ in range(PER_PAIR + 1)]
    assert tried == [200] * PER_PAIR + [429]
    other = f"{unique('other')}@example.com"
    assert [sign_in(guesser, other).status_code for _ in range(PER_PAIR + 1)][-1] == 429


@pytest.mark.parametrize("cookie", ["", "x", "W10:1:1", "WyJhIiwiYiJd:1w:x"])
def test_a_cookie_that_nobody_signed_makes_no_browser_known(
    guesser: Client, tenant: CreatedTenant, cookie: str
) -> None:
    guesser.cookies[COOKIE] = cookie
    fail_often(tenant.owner.email, str(guesser.defaults["REMOTE_ADDR"]), PER_PAIR)
    assert sign_in(guesser, tenant.owner.email, PASSWORD).status_code == 429


def test_the_cookie_says_nothing_of_whose_it_is(guesser: Client, tenant: CreatedTenant) -> None:
    sign_in(guesser, tenant.owner.email, PASSWORD)
    held = guesser.cookies[COOKIE]
    assert tenant.owner.email not in held.value
    assert (held["httponly"], held["samesite"], held["path"]) == (True, "Lax", "/sign-in")


def test_whoever_knows_the_password_in_time_is_let_in_and_forgiven(
    guesser: Client, tenant: CreatedTenant, address: str
) -> None:
    email = tenant.owner.email
    fail_often(email, address, PER_PAIR - 1)
    assert sign_in(guesser, email, PASSWORD).status_code == 302
    fail_often(email, address, PER_PAIR - 1)
    assert wait_s(Attempt(email, address)) == 0


def test_whoever_is_signed_in_guesses_no_other_password(guesser: Client, tenant: CreatedTenant, operator: User) -> None:
    """A person who is signed in is redirected until they sign out, whatever the password."""
    guesser.force_login(tenant.owner)
    answers = {sign_in(guesser, operator.email, password).headers["Location"] for password in ("wrong", PASSWORD)}
    assert answers == {"/jobs"}
    assert guesser.session["_auth_user_id"] == str(tenant.owner.pk)


def test_whoever_is_signed_in_takes_no_failure_of_another_back(
    guesser: Client, tenant: CreatedTenant, operator: User, address: str
) -> None:
    fail_often(operator.email, address, PER_PAIR - 1)
    guesser.force_login(tenant.owner)
    sign_in(guesser, operator.email)
    assert wait_s(Attempt(operator.email, address)) > 0


def test_many_tries_at_once_are_no_more_than_many_tries(address: str) -> None:
    attempt = Attempt(f"{unique('x')}@example.com", address)
    with ThreadPoolExecutor(16) as threads:
        waits = list(threads.map(lambda _: reserve(attempt), range(40)))
    assert waits.count(0) <= PER_PAIR


def test_one_address_written_in_many_ways_is_one(address: str) -> None:
    email = f"{unique('x')}@example.com"
    fail_often(email, address, PER_PAIR)
    assert wait_s(Attempt(f" {email.upper()} ", address)) > 0
    assert wait_s(Attempt(email.replace("example", "ｅxample"), address)) > 0


def test_many_names_from_one_address_are_too_many(address: str) -> None:
    for number in range(PER_PLACE):
        reserve(Attempt(f"{number}@example.com", address))
    assert wait_s(Attempt("another@example.com", address)) > 0
    assert wait_s(Attempt("another@example.com", unique("elsewhere"))) == 0


def test_more_failures_do_not_lengthen_the_wait(address: str) -> None:
    attempt = Attempt(f"{unique('x')}@example.com", address)
    fail_often(attempt.email, address, PER_PAIR)
    redis.Redis.from_url(settings.MAAS_CACHE_URL).expire(attempt.pair_key, 30)
    fail_often(attempt.email, address, PER_PAIR)
    assert 0 < wait_s(attempt) <= 30


def test_every_count_ends(address: str) -> None:
    attempt = Attempt(f"{unique('x')}@example.com", address)
    take_back(attempt)
    client = redis.Redis.from_url(settings.MAAS_CACHE_URL)
    assert all(0 < client.ttl(key) <= WINDOW_S for key, _ in attempt.counts())


@pytest.fixture
def _no_cache(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(settings, "MAAS_CACHE_URL", "redis://127.0.0.1:1/0")
    cache_redis.cache_clear()
    yield
    cache_redis.cache_clear()


@pytest.mark.usefixtures("_no_cache")
def test_without_the_counts_people_get_in(guesser: Client, tenant: CreatedTenant) -> None:
    assert sign_in(guesser, tenant.owner.email).status_code == 200
    assert sign_in(guesser, tenant.owner.email, PASSWORD).status_code == 302


def test_the_admins_door_takes_no_password(guesser: Client, operator: User) -> None:
    """The admin is no second place at which to guess."""
    answer = sign_in(guesser, operator.email, PASSWORD, path="/admin/login/")
    assert answer.headers["Location"] == "/sign-in?next=/admin/"
    assert "_auth_user_id" not in guesser.session


@pytest.mark.parametrize(
    ("written", "place"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:DB8:1:2::1", "2001:db8:1:2::/64"),
        ("192.0.2.7:4711", "192.0.2.7"),
        ("[2001:db8:1:2::7]:4711", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2::7]", "2001:db8:1:2::/64"),
        ("[::ffff:192.0.2.7]:4711", "192.0.2.7"),
        ('"[2001:db8:1:2::7]:4711"', "2001:db8:1:2::/64"),
        (" 192.0.2.7 ", "192.0.2.7"),
        ("2001:db8:1:2::4711", "2001:db8:1:2::/64"),
        *((other, "unknown") for other in ("", "unknown", "_hidden", "192.0.2.7:", "192.0.2.7:80:80", "[::1", "a:80")),
    ],
)
def test_a_network_is_one_place_whatever_the_port_and_so_is_all_that_is_no_address(written: str, place: str) -> None:
    assert place_of(written) == place


@pytest.mark.parametrize(
    ("proxies", "header", "address"),
    [
        (0, "6.6.6.6", "127.0.0.1"),
        (1, "6.6.6.6, 7.7.7.7", "7.7.7.7"),
        (2, "6.6.6.6, 7.7.7.7", "6.6.6.6"),
        (2, "7.7.7.7", "127.0.0.1"),
        (1, "", "127.0.0.1"),
    ],
)
def test_only_what_a_proxy_of_ours_saw_counts_as_the_address(proxies: int, header: str, address: str) -> None:
    environ = {"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_FOR": header}
    assert client_address(environ, proxies) == address
