"""The small private files in MAAS_HOME that outlive a process or describe a running one to other processes."""

import json
import os
import secrets
import shlex
from collections.abc import Mapping
from pathlib import Path

_SECRETS = ("MAAS_SECRET_KEY", "MAAS_KEY_PEPPER", "MAAS_OPERATOR_TOKEN")


def keep_secrets(home: Path) -> dict[str, str]:
    """Return the secrets, and create them once. If the file is lost, every session and API key becomes invalid."""
    path = home / "secrets.json"
    existing = read_map(path)
    missing = {name: secrets.token_urlsafe(48) for name in _SECRETS if name not in existing}
    if missing:
        write_map(path, existing | missing)
    return existing | missing


def read_map(path: Path) -> dict[str, str]:
    try:
        return {str(name): str(value) for name, value in json.loads(path.read_text()).items()}
    except FileNotFoundError:
        return {}


def write_map(path: Path, values: Mapping[str, str]) -> None:
    _replace(path, json.dumps(dict(values), indent=1))


def write_env_file(path: Path, values: Mapping[str, str]) -> None:
    """Replace a file of variables. A shell that reads the file exports them to the programs that it starts."""
    _replace(path, "".join(f"export {name}={shlex.quote(value)}\n" for name, value in values.items()))


def _replace(path: Path, text: str) -> None:
    """Replace the file in one step. Only its owner can read it, from its first byte on."""
    new = path.with_name(f".{path.name}.new")
    new.unlink(missing_ok=True)
    fd = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(fd, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    new.rename(path)


def read_env_file(path: Path) -> dict[str, str]:
    """Return the variables of a file of `NAME=value` or `export NAME=value` in shell quoting; empty without a file."""
    try:
        text = path.read_text()
    except FileNotFoundError:
        return {}
    assignments = shlex.split(text, comments=True)
    return {name: value for name, found, value in (word.partition("=") for word in assignments) if found}
