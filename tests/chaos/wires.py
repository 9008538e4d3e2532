"""Lines between the product and the services that it uses. They use TCP, as in production, so that they can be
broken.
"""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import parse_qs, quote, unquote, urlsplit, urlunsplit

from .line import Connect, Line, to_port, to_socket

TO_POSTGRES = "line to postgres"
_SERVICES = {
    "MAAS_DATABASE_URL": TO_POSTGRES,
    "MAAS_REDIS_URL": "line to redis",
    "MAAS_CACHE_URL": "line to cache",
    "MAAS_BROKER_URL": "line to rabbitmq",
}
_HOST = "127.0.0.1"


class Wires:
    """The lines to services. The product uses `urls`; the harness itself bypasses them."""

    def __init__(self) -> None:
        self.lines: dict[str, Line] = {}
        self.urls: dict[str, str] = {}

    async def open(self, services: Mapping[str, str]) -> None:
        for variable, name in _SERVICES.items():
            if variable in services:
                line = self.lines[name] = Line(way_to(services[variable]))
                await line.open()
                self.urls[variable] = through(services[variable], line.port)

    def close(self) -> None:
        for line in self.lines.values():
            line.close()


def through(url: str, port: int) -> str:
    """Return the URL of the same service through a port of this machine."""
    parts = urlsplit(url)
    match parts.scheme:
        case "unix":
            number = parse_qs(parts.query).get("db", ["0"])[0]
            return f"redis://{_HOST}:{port}/{number}"
        case "postgres":
            query = "&".join(f"{name}={quote(text)}" for name, text in _options(parts.query).items())
            return urlunsplit(("postgres", f"{_account(parts.netloc)}{_HOST}:{port}", parts.path, query, ""))
    return urlunsplit(parts._replace(netloc=f"{_account(parts.netloc)}{_HOST}:{port}"))


def way_to(url: str) -> Connect:
    parts = urlsplit(url)
    match parts.scheme:
        case "unix":
            return to_socket(Path(unquote(parts.path)))
        case "postgres":
            return to_socket(Path(parse_qs(parts.query)["host"][0]) / ".s.PGSQL.5432")
    assert parts.port is not None, url
    return to_port(parts.port)


def _account(netloc: str) -> str:
    account, at, _ = netloc.rpartition("@")
    return account + at


def _options(query: str) -> dict[str, str]:
    return {name: texts[0] for name, texts in parse_qs(query).items() if name != "host"}
