"""Secrets are made once, and files are private from their first byte."""

import os
import stat
import subprocess
from pathlib import Path

from maas.local.launch.state_files import keep_secrets, read_env_file, write_env_file, write_map


def test_secrets_are_made_once(tmp_path: Path) -> None:
    first = keep_secrets(tmp_path)
    assert set(first) == {"MAAS_SECRET_KEY", "MAAS_KEY_PEPPER", "MAAS_OPERATOR_TOKEN"}
    assert min(map(len, first.values())) >= 50
    assert keep_secrets(tmp_path) == first


def test_secret_added_later_leaves_the_others_as_they_are(tmp_path: Path) -> None:
    write_map(tmp_path / "secrets.json", {"MAAS_KEY_PEPPER": "kept"})
    assert keep_secrets(tmp_path)["MAAS_KEY_PEPPER"] == "kept"


def test_file_is_for_its_owner_alone_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        write_map(tmp_path / "file", {"a": "b"})
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o600


def test_programs_that_a_shell_starts_see_what_an_env_file_says(tmp_path: Path) -> None:
    written = {"MAAS_URL": "http://127.0.0.1:8000", "MAAS_PASSWORD": 'it\'s $HOME, "quoted"'}
    write_env_file(tmp_path / "demo.env", written)
    assert read_env_file(tmp_path / "demo.env") == written
    shell = subprocess.run(
        ["sh", "-c", '. "$0"; env', tmp_path / "demo.env"], env={}, capture_output=True, text=True, check=True
    )
    assert {f"{name}={value}" for name, value in written.items()} <= set(shell.stdout.splitlines())


def test_env_file_is_read_as_a_shell_would(tmp_path: Path) -> None:
    (tmp_path / "demo.env").write_text("# logins\nMAAS_EMAIL=a@example.test\nMAAS_PASSWORD='two words=1'\n")
    assert read_env_file(tmp_path / "demo.env") == {
        "MAAS_EMAIL": "a@example.test",
        "MAAS_PASSWORD": "two words=1",
    }
    assert read_env_file(tmp_path / "missing.env") == {}
