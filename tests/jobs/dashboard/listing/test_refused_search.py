"""Tests of what the list shows if the text of a search was not looked up."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.db import connections, transaction
from django.test import Client

from inference.registry.models import ModelVersion
from inference.registry.selectors import resolve
from inference.registry.services import seed_builtin
from inference.runtime.session_host import SessionHost
from jobs.search import query_embedding
from jobs.search import statement_timeout as patience
from jobs.search.meaning import AWAY, BROKEN, TAKEN
from tenants.api.authentication import IDENTITY
from tenants.identity.identity import Identity
from tests.jobs.conftest import Desk
from tests.jobs.dashboard.conftest import html

WORDS = "/jobs?q=a+flat+for+rent&by=meaning"


@pytest.fixture(scope="module", autouse=True)
def _models(_real_transactions: None) -> None:
    seed_builtin()


@pytest.fixture(autouse=True)
def _nothing_remembered() -> None:
    query_embedding._embed.cache_clear()


def weights() -> Path:
    embedder: ModelVersion = resolve("embed", tenant_id=None)
    return Path(default_storage.path(str(embedder.artifacts["weights"]["file"])))


@contextmanager
def model_held_by_nobody() -> Iterator[None]:
    """Evict the model, as in a web process that has embedded no query yet."""
    host: SessionHost = query_embedding._runtime()._host
    host.evict(weights())
    yield
    host.evict(weights())


def test_a_search_by_meaning_that_must_wait_too_long_says_so_and_offers_the_words(
    member: Client, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.submit()
    monkeypatch.setattr(query_embedding, "TIMEOUT_S", 0.01)
    with query_embedding._one_at_a_time:
        page = html(member, WORDS)
    assert "Could not search for “a flat for rent”" in page
    assert TAKEN in page
    assert 'href="?q=a+flat+for+rent">Find the exact words' in page
    assert "0 jobs" not in page


def test_a_model_that_fails_is_told_of_in_words(member: Client, desk: Desk) -> None:
    desk.submit()
    whole = weights().read_bytes()
    with model_held_by_nobody():
        weights().write_bytes(b"not a model")
        try:
            assert BROKEN in html(member, WORDS)
        finally:
            weights().write_bytes(whole)


def test_a_storage_that_is_away_is_told_of_in_words(
    member: Client, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.submit()

    def away(version: ModelVersion) -> None:
        raise OSError("object storage: no route")

    monkeypatch.setattr(query_embedding, "spec_of", away)
    assert AWAY in html(member, WORDS)


def test_the_database_is_held_by_no_search_that_waits_for_its_model(
    member: Client, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.submit()
    seen: list[bool] = []
    embed = query_embedding._runtime().run

    def run(*work: object) -> object:
        seen.append(connections["default"].in_atomic_block)
        return embed(*work)  # type: ignore[arg-type]

    monkeypatch.setattr(query_embedding._runtime(), "run", run)
    html(member, WORDS)
    assert seen == [False]


@contextmanager
def index_locked() -> Iterator[None]:
    with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
        cursor.execute("LOCK TABLE jobs_pagetext")
        yield


def test_a_search_that_takes_too_long_is_refused_by_the_page_and_by_the_api(
    member: Client, desk: Desk, identity: Identity, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.submit()
    monkeypatch.setattr(patience, "SEARCH_MS", 50)
    with index_locked():
        page = html(member, "/jobs?q=ab")
        answer = Client().get("/v1/jobs?q=ab", **{IDENTITY: identity})  # type: ignore[arg-type]
    assert "&#x27;ab&#x27; is on too many pages to be looked for. Add a word" in page
    assert (answer.status_code, answer.json()["code"]) == (422, "search_too_broad")
