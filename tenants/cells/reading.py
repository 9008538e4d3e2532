"""Reads the settings about cells. Pure."""

import base64
import binascii
import re
from collections.abc import Iterable
from ipaddress import ip_address
from urllib.parse import urlsplit

from tenants.cells.cells import Cell, Cells
from tenants.cells.signatures import KEY_BYTES, public_key_of
from tenants.core.messages import names_in_words

NAME = re.compile(r"[a-z][a-z0-9-]{0,15}")
_NAME_RULE = "use a letter, then letters, digits and hyphens, in lower case, 16 in all at most"


class WrongCells(ValueError):
    """The error for settings that contradict each other or are incomplete. The message names the setting."""


def read_cells(*, own: str, urls: str, keys: str, secret: str, control: str, redirect: bool = False) -> Cells:
    """Return the cells. Without MAAS_CELL there are none, and MAAS_CELLS must be empty. Workers need no secret.

    Raises WrongCells.
    """
    if not own:
        for name, value in (("MAAS_CELLS", urls), ("MAAS_CONTROL_CELL", control)):
            if value:
                raise WrongCells(f"{name} is set, but MAAS_CELL, the name of this cell, is not: set both or neither")
        return Cells()
    _check_name("MAAS_CELL", own)
    addresses = _addresses(urls)
    _check_listed("MAAS_CELL", own, addresses)
    if control:
        _check_listed("MAAS_CONTROL_CELL", control, addresses)
    known = _public_keys(keys)
    for name in known:
        if name not in addresses:
            raise WrongCells(f"MAAS_CELL_KEYS names {name!r}, which is not in MAAS_CELLS")
    for name in addresses:
        if name not in known:
            raise WrongCells(f"MAAS_CELL_KEYS has no key of {name!r}. `manage.py cell_key` prints it in that cell")
    private = _secret(secret)
    if private and public_key_of(private) not in known[own]:
        raise WrongCells(
            f"MAAS_CELL_SECRET does not belong to the key of {own!r} in MAAS_CELL_KEYS: "
            f"its public key is {written(public_key_of(private))}"
        )
    cells = {name: Cell(name, url, tuple(known[name])) for name, url in addresses.items()}
    return Cells(own, control, cells, private, redirect)


def written(key: bytes) -> str:
    """Return a key as it is written in settings."""
    return base64.urlsafe_b64encode(key).rstrip(b"=").decode()


def _addresses(urls: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, url in _pairs("MAAS_CELLS", urls, "https://eu.example.com"):
        if name in found:
            raise WrongCells(f"MAAS_CELLS names {name!r} twice")
        base = _base_url(name, url)
        if base in found.values():
            other = next(other for other, taken in found.items() if taken == base)
            raise WrongCells(f"MAAS_CELLS gives {other!r} and {name!r} the same address, {base}")
        found[name] = base
    return found


def _base_url(name: str, url: str) -> str:
    where = f"MAAS_CELLS gives {name!r} the address {url!r}"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise WrongCells(f"{where}, which is not a URL: {error}") from error
    if parts.scheme not in {"http", "https"} or not host:
        raise WrongCells(f"{where}: use https://host or https://host:port")
    if parts.path not in {"", "/"} or parts.query or parts.fragment or "@" in parts.netloc:
        raise WrongCells(f"{where}: leave out everything but the host and the port")
    if parts.scheme == "http" and not _is_loopback(host):
        raise WrongCells(f"{where}: use https, because keys and documents are sent there")
    shown = f"[{host}]" if ":" in host else host
    usual = 443 if parts.scheme == "https" else 80
    return f"{parts.scheme}://{shown}" + (f":{port}" if port not in {None, usual} else "")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _public_keys(keys: str) -> dict[str, list[bytes]]:
    found: dict[str, list[bytes]] = {}
    for name, text in _pairs("MAAS_CELL_KEYS", keys, "<public key>"):
        key = _key(text)
        if key is None:
            raise WrongCells(f"MAAS_CELL_KEYS gives {name!r} {text[:60]!r}, which is not a key of `manage.py cell_key`")
        if any(key in others for others in found.values()):
            raise WrongCells(f"MAAS_CELL_KEYS has the key {text} twice: each cell needs a key of its own")
        found.setdefault(name, []).append(key)
    return found


def _pairs(setting: str, text: str, example: str) -> Iterable[tuple[str, str]]:
    for entry in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (part.strip() for part in entry.partition("="))
        if not equals or not value:
            raise WrongCells(f"{setting} has the entry {entry[:60]!r}: write it as eu={example}, with commas between")
        _check_name(setting, name)
        yield name, value


def _secret(text: str) -> bytes:
    if not text:
        return b""
    key = _key(text)
    if key is None:
        raise WrongCells("MAAS_CELL_SECRET is not a secret of `manage.py cell_key`: it has 43 characters")
    return key


def _key(text: str) -> bytes | None:
    try:
        key = base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    return key if len(key) == KEY_BYTES and written(key) == text else None


def _check_name(setting: str, name: str) -> None:
    if not NAME.fullmatch(name):
        raise WrongCells(f"{setting} has the name {name[:60]!r}: {_NAME_RULE}")


def _check_listed(setting: str, name: str, addresses: dict[str, str]) -> None:
    if name not in addresses:
        raise WrongCells(f"{setting} is {name!r}, which is not in MAAS_CELLS; there are {names_in_words(addresses)}")
