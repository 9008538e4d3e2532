"""Tests that a database records what prepared it, and is prepared anew after anything that could change that."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from maas.local.launch import prepared
from maas.local.launch.prepared import fingerprint, is_prepared, note_prepared

URL = os.environ.get("MAAS_DATABASE_URL", "")
SETTINGS = {"MAAS_PORT": "8000", "MAAS_HOME": "/var/lib/maas"}


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the only file of a small product, which replaces the real one."""
    monkeypatch.setattr(prepared, "PROJECT", tmp_path)
    (tmp_path / "jobs").mkdir()
    file = tmp_path / "jobs" / "models.py"
    file.write_text("one = 1")
    return file


def test_same_product_has_the_same_fingerprint(code: Path) -> None:
    before = fingerprint(SETTINGS, "secret")
    (code.parent / "__pycache__").mkdir()
    (code.parent / "__pycache__" / "models.pyc").write_text("compiled")
    assert fingerprint({**SETTINGS, "TERM": "xterm"}, "secret") == before


@pytest.mark.parametrize("change", ["content", "new file", "setting", "secret", "package"])
def test_another_product_has_another_fingerprint(
    code: Path, change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, secret = dict(SETTINGS), "secret"
    before = fingerprint(settings, secret)
    match change:
        case "content":
            code.write_text("one = 11")
        case "new file":
            (code.parent / "0002_more.py").write_text("")
        case "setting":
            settings["MAAS_PORT"] = "8001"
        case "secret":
            secret = "another"
        case "package":
            (tmp_path / "django-6.0.dist-info").mkdir()
            monkeypatch.setattr("sysconfig.get_path", lambda _name: str(tmp_path))
    assert fingerprint(settings, secret) != before


@contextmanager
def one_more_migration() -> Iterator[None]:
    with psycopg.connect(URL, autocommit=True) as connection:
        connection.execute("INSERT INTO django_migrations (app, name, applied) VALUES ('t', '9', now())")
        try:
            yield
        finally:
            connection.execute("DELETE FROM django_migrations WHERE app = 't'")


def test_database_knows_what_prepared_it_until_its_migrations_change() -> None:
    note_prepared(URL, "this")
    assert is_prepared(URL, "this")
    assert not is_prepared(URL, "that")
    with one_more_migration():
        assert not is_prepared(URL, "this")
    assert is_prepared(URL, "this")


def test_database_that_is_not_there_is_not_prepared() -> None:
    assert not is_prepared("postgres://nobody@127.0.0.1:9/maas", "this")
