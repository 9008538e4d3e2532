"""Reads the environment, and the values that a running `make up` has written to MAAS_HOME, into typed values."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from inference.runtime.tesseract_languages import listed_languages, unknown_language
from inference.sandbox.inside.layers import LAYERS
from maas.process.own_servers import missing_servers
from tenants.core.http_client.own_hosts import Network, NotAHost, read_own_hosts
from tenants.core.messages import names_in_words


def _read_json(path: Path) -> dict[str, str]:
    try:
        return {str(k): str(v) for k, v in json.loads(path.read_text()).items()}
    except FileNotFoundError:
        return {}
    except (PermissionError, ValueError) as error:
        raise ImproperlyConfigured(f"{path} cannot be read: {error}") from error


@dataclass(frozen=True)
class Environment:
    """The variables of the process, then the running services of MAAS_HOME, then defaults."""

    home: Path
    values: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, variables: Mapping[str, str] = os.environ) -> "Environment":
        home = Path(variables.get("MAAS_HOME") or "var").expanduser().absolute()
        given = {key: value for key, value in variables.items() if value}
        if not cls(home, given).flag("MAAS_EMBEDDED", True):
            return cls(home, given)
        found = {**_read_json(home / "secrets.json"), **_read_json(home / "run" / "services.json")}
        return cls(home, {**found, **given})

    def require_own_servers(self) -> None:
        """Refuse to start where embedded servers are ruled out and one of the operator's own is missing."""
        if refused := missing_servers(self.values):
            raise ImproperlyConfigured(refused)

    def text(self, name: str, default: str) -> str:
        return self.values.get(name, default)

    def number(self, name: str, default: int) -> int:
        raw = self.values.get(name)
        if raw is None:
            return default
        try:
            return int(raw)
        except ValueError:
            raise ImproperlyConfigured(f"{name}={raw!r} is not a whole number") from None

    def limit(self, name: str, default: int, most: int) -> int:
        """Return a limit. 0 means unlimited."""
        number = self.number(name, default)
        if not 0 <= number <= most:
            raise ImproperlyConfigured(f"{name}={number} must be 0, which is unlimited, or at most {most}")
        return number

    def share(self, name: str, default: float) -> float:
        raw = self.values.get(name)
        if raw is None:
            return default
        try:
            share = float(raw)
        except ValueError:
            share = 0.0
        if not 0 < share <= 1:
            raise ImproperlyConfigured(f"{name}={raw!r} must be a number above 0 and at most 1, such as 0.5")
        return share

    def flag(self, name: str, default: bool) -> bool:
        raw = self.values.get(name, "1" if default else "0").lower()
        if raw in {"1", "true", "yes", "on"}:
            return True
        if raw in {"0", "false", "no", "off"}:
            return False
        raise ImproperlyConfigured(f"{name}={raw!r} is not a yes or no: use 1 or 0")

    def names(self, name: str, default: str = "") -> list[str]:
        return [part.strip() for part in self.values.get(name, default).split(",") if part.strip()]

    def languages(self, name: str) -> tuple[str, ...]:
        languages = listed_languages(self.values.get(name, ""))
        if refused := unknown_language(languages):
            raise ImproperlyConfigured(refused)
        return languages

    def layers(self, name: str, default: str) -> frozenset[str]:
        """Return the layers of the sandbox. `none` means no layers, because an empty variable counts as not set."""
        names = self.names(name, default)
        if names == ["none"]:
            return frozenset()
        if not names and self.values.get(name):
            raise ImproperlyConfigured(
                f"{name}={self.values[name]!r} names no layer of the sandbox: say none, or leave it out"
            )
        unknown = next((layer for layer in names if layer not in LAYERS), None)
        if unknown is not None:
            raise ImproperlyConfigured(
                f"{name}={self.values.get(name)!r} names {unknown!r}, which is no layer of the sandbox: "
                f"use {', '.join(LAYERS)} with commas between, or none alone"
            )
        return frozenset(names)

    def ports(self, name: str, default: str) -> list[int]:
        ports = [int(part) if part.isascii() and part.isdigit() else 0 for part in self.names(name, default)]
        if not all(0 < port < 65536 for port in ports):
            raise ImproperlyConfigured(f"{name}={self.values.get(name)!r} must be ports, separated by commas")
        return ports

    def own_hosts(self, name: str) -> frozenset[str | Network]:
        try:
            return read_own_hosts(self.names(name))
        except NotAHost as error:
            raise ImproperlyConfigured(
                f"{name} names {str(error)[:100]!r}, which is neither a host name such as status.example.com, "
                "nor an address or a network such as 198.51.100.0/24"
            ) from error


# A server that is cut off without a message is given up after half a minute, not after hours.
_NOTICES_SILENCE = {
    "connect_timeout": "5",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
}


@dataclass(frozen=True)
class DatabaseUrl:
    """The parts of a PostgreSQL URL, in the form that libpq and Django both understand."""

    name: str
    user: str
    password: str
    host: str
    port: str
    options: Mapping[str, str]

    @classmethod
    def parse(cls, url: str) -> "DatabaseUrl":
        parts = urlsplit(url)
        if parts.scheme not in {"postgres", "postgresql"}:
            raise ImproperlyConfigured(
                f"MAAS_DATABASE_URL must start with postgres://, not {parts.scheme or 'nothing'}://"
            )
        options = dict(parse_qsl(parts.query))
        host = options.pop("host", "") or unquote(parts.hostname or "")
        return cls(
            name=unquote(parts.path.lstrip("/")),
            user=unquote(parts.username or ""),
            password=unquote(parts.password or ""),
            host=host,
            port=str(parts.port or options.pop("port", "")),
            options=options,
        )

    def django(self, role: str | None, *, timeout_s: int = 0) -> dict[str, object]:
        """Return the settings of a Django database that acts as `role`, or as the URL's own user.

        `timeout_s` is the time that a transaction may be idle, with everything it has locked, before PostgreSQL ends
        it. A process that is frozen in the middle of a transaction must not block the others. 0 means no limit.
        """
        options: dict[str, object] = {**_NOTICES_SILENCE, **self.options}
        if role:
            options |= {"server_side_binding": True, "prepare_threshold": 5}
            options["options"] = f"-c role={role} -c idle_in_transaction_session_timeout={timeout_s}s"
        return {
            "ENGINE": "maas.postgres",
            "NAME": self.name,
            "USER": self.user,
            "PASSWORD": self.password,
            "HOST": self.host,
            "PORT": self.port,
            "OPTIONS": options,
            "CONN_MAX_AGE": 300,
            "CONN_HEALTH_CHECKS": True,
        }


def storage_backend(url: str, home: Path) -> dict[str, object]:
    """Return the storage of documents, pictures and model files: a folder, or S3-compatible storage."""
    parts = urlsplit(url)
    if parts.scheme == "file":
        return {
            "BACKEND": "maas.storage.folder.DurableFileSystemStorage",
            "OPTIONS": {
                "location": unquote(parts.path),
                "base_url": None,
                "directory_permissions_mode": 0o700,
                "file_permissions_mode": 0o600,
            },
        }
    if parts.scheme == "s3":
        query = dict(parse_qsl(parts.query))
        options: dict[str, object] = {
            "bucket_name": parts.netloc,
            "location": unquote(parts.path).lstrip("/"),
            "querystring_auth": True,
            # Larger files are fetched to disk. The library's default of 0 keeps files of any size in memory.
            "max_memory_size": 2**20,
            "file_overwrite": True,
            "default_acl": None,
        }
        option_names = {
            "endpoint": "endpoint_url",
            "region": "region_name",
            "access_key": "access_key",
            "secret_key": "secret_key",
            "addressing": "addressing_style",
        }
        unknown = set(query) - set(option_names)
        if unknown:
            raise ImproperlyConfigured(
                f"MAAS_STORAGE_URL has unknown options "
                f"{names_in_words(sorted(unknown))}; known: {', '.join(sorted(option_names))}"
            )
        return {
            "BACKEND": "maas.storage.s3.ObjectStorage",
            "OPTIONS": options | {option_names[k]: v for k, v in query.items()},
        }
    raise ImproperlyConfigured(
        f"MAAS_STORAGE_URL={url!r} must be file:///folder or s3://bucket/prefix (MAAS_HOME is {home})"
    )
