"""Decides whether a page in a browser may open a socket here."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from django.http.request import split_domain_port, validate_host

_DEFAULT_PORTS = {"http": 80, "https": 443}


def origin_allowed(origin: str, host: str, *, allowed_hosts: Sequence[str], trusted: Sequence[str]) -> bool:
    """Return True for trusted origins, and our own host under one of our names: an attacker's name may point here."""
    if origin in trusted:
        return True
    parts = urlsplit(origin)
    if parts.scheme not in _DEFAULT_PORTS or not parts.netloc:
        return False
    domain, _ = split_domain_port(host)
    if not domain or not validate_host(domain, list(allowed_hosts)):
        return False
    return _host_and_port(parts.netloc, parts.scheme) == _host_and_port(host, parts.scheme)


def _host_and_port(netloc: str, scheme: str) -> tuple[str, int]:
    domain, port = split_domain_port(netloc.lower())
    return domain, int(port) if port else _DEFAULT_PORTS[scheme]
