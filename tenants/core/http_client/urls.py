"""The check of URLs by their text alone. Nothing is looked up."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv6Address

from tenants.core.http_client.addresses import Address, inner, is_loopback, is_public
from tenants.core.http_client.errors import EgressRefused
from tenants.core.http_client.own_hosts import Network

LONGEST_URL = 2048
LONGEST_HOST = 253
_URL = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]*)://"
    r"(?P<host>\[[^/?\[\]]*\]|[^/?\[\]:]*)(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<path>/[^?]*)?(?P<query>\?.*)?",
    re.IGNORECASE,
)
"""The grammar of URLs. It allows one reading, as the check and the request must mean the same."""
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_UNPRINTABLE = re.compile(r"[\x00-\x20\x7f\\]")
_OWN_NAMES = frozenset(
    [
        "alt",
        "arpa",
        "corp",
        "home",
        "internal",
        "intranet",
        "invalid",
        "lan",
        "local",
        "localdomain",
        "localhost",
        "onion",
        "private",
        "test",
    ]
)
"""Top-level domains that do not exist on the internet, and so lead only into a private network."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The addresses that this installation may send requests to."""

    ports: frozenset[int] = frozenset({443, 8443})
    loopback: bool = False
    """A switch for development that also allows this machine, at any port and without TLS."""
    own: frozenset[str | Network] = frozenset()
    """The public hosts of the operator: names, with all names below them, and networks."""

    def allow(self, address: Address) -> bool:
        return is_public(address) or (self.loopback and is_loopback(address))

    def is_own(self, host: str, addresses: Iterable[Address]) -> bool:
        """Return whether a server belongs to the operator: it is not public, or the operator has named it."""
        names = {name for name in self.own if isinstance(name, str)}
        networks = [network for network in self.own if not isinstance(network, str)]
        if any(host == name or host.endswith(f".{name}") for name in names):
            return True
        return any(
            not is_public(address) or any(inner(address) in network for network in networks) for address in addresses
        )


@dataclass(frozen=True, slots=True)
class Target:
    """The parts of a URL that passed the check."""

    tls: bool
    host: str
    """The host in lower case and ASCII. An IPv6 address has no brackets."""
    port: int
    path: str
    """The path with the query, as in the HTTP request line."""
    address: Address | None
    """The address, if the host is an address itself."""

    @property
    def authority(self) -> str:
        """Return the value of the header Host."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.tls else 80) else f"{host}:{self.port}"


def read_url(url: str, rules: Rules) -> Target:
    """Return the parts of a URL. Raises EgressRefused, which says what is not allowed."""
    _check_letters(url)
    parts = _URL.fullmatch(url)
    if parts is None:
        raise _refused("use https://host/path or https://host:port/path")
    host = _host(parts["host"])
    address = _literal(host)
    local = rules.loopback and is_local(host, address)
    tls = _is_tls(parts["scheme"].lower(), local)
    if address is None:
        _check_name(host, local)
    elif not rules.allow(address):
        raise _refused(f"'{address}' is not a public IP address")
    port = _port(parts["port"], 443 if tls else 80, None if local else rules.ports)
    path = (parts["path"] or "/") + (parts["query"] or "")
    return Target(tls, str(address or host), port, path, address)


def _is_tls(scheme: str, local: bool) -> bool:
    if scheme == "https":
        return True
    if local and scheme == "http":
        return False
    raise _refused(f"it starts with {scheme[:20]}://, but only https:// is allowed")


def _refused(reason: str) -> EgressRefused:
    return EgressRefused("url_not_allowed", f"The URL is not allowed: {reason}.")


_FORBIDDEN: tuple[tuple[Callable[[str], object], str], ...] = (
    (lambda url: len(url) > LONGEST_URL, f"it is longer than {LONGEST_URL} characters"),
    (_UNPRINTABLE.search, "it contains a space, a control character or a backslash: percent-encode them"),
    (lambda url: "#" in url, "it has a fragment (#), which is never sent: leave it out"),
    (lambda url: "://" not in url, "it is not absolute: write https://host/path"),
    (
        lambda url: "@" in _split(url)[0],
        "it has a user name or a password: put a token into the path instead",
    ),
    (lambda url: not _split(url)[1].isascii(), "its path has letters beyond ASCII: percent-encode them"),
)


def _check_letters(url: str) -> None:
    for is_wrong, reason in _FORBIDDEN:
        if is_wrong(url):
            raise _refused(reason)


def _split(url: str) -> tuple[str, str]:
    """Split a URL into the host with everything beside it, and the rest."""
    authority = re.split("[/?]", url.partition("://")[2], maxsplit=1)[0]
    return authority, url.partition("://")[2].removeprefix(authority)


def _host(written: str) -> str:
    """Return the host in ASCII and lower case. An IPv6 address keeps its brackets."""
    host = written.lower()
    if not host:
        raise _refused("the host is missing")
    if host.isascii():
        return host
    return ".".join(_in_ascii(label) for label in host.split("."))


def _in_ascii(label: str) -> str:
    """Encode a label as ASCII if the two standards for international names agree on it. They do not for `straße`,
    which one of them encodes as `strasse`.
    """
    try:
        encoded = label.encode("idna")
        if encoded.decode("idna") == label:
            return encoded.decode("ascii")
    except UnicodeError:
        pass
    raise _refused(f"the name '{label[:63]}' is ambiguous; use its ASCII form, xn--…")


def _literal(host: str) -> Address | None:
    """Return the address if the host is an address in its plain spelling, or None for a name."""
    try:
        if host.startswith("["):
            return _literal_v6(host)
        if _NUMBER.fullmatch(host.rstrip(".").rpartition(".")[2]):
            return IPv4Address(host)
    except AddressValueError:
        raise _refused(f"'{host[:80]}' is not a valid IP address, such as 192.0.2.1") from None
    return None


def _literal_v6(host: str) -> IPv6Address:
    """Read an IPv6 address. One with a zone (`%eth0`) is refused, as it belongs to a link of one machine."""
    inner = host[1:-1]
    if "%" in inner:
        raise _refused(f"'{host[:80]}' has a zone ID")
    return IPv6Address(inner)


def _check_name(host: str, local: bool) -> None:
    if host.endswith("."):
        raise _refused(f"'{host[-80:]}' ends with a dot; remove it")
    labels = host.split(".")
    if len(host) > LONGEST_HOST or not all(_LABEL.fullmatch(label) for label in labels):
        raise _refused(f"'{host[:80]}' is not a valid host name")
    if not local and (len(labels) == 1 or labels[-1] in _OWN_NAMES):
        raise _refused(f"'{host[:80]}' is not a public host name")


def _port(written: str | None, default: int, allowed: frozenset[int] | None) -> int:
    port = default if written is None else int(written)
    if not 0 < port < 65536:
        raise _refused(f"port {port} does not exist")
    if allowed is not None and port not in allowed:
        ports = ", ".join(str(port) for port in sorted(allowed))
        raise _refused(f"port {port} is not allowed (allowed: {ports})")
    return port


def is_local(host: str, address: Address | None) -> bool:
    return host == "localhost" if address is None else is_loopback(address)
