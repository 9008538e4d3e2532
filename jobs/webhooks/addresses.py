"""Finds the server of a URL."""

from urllib.parse import urlsplit


def origin_of(url: str) -> str:
    """Return scheme, name and port of the server. There is one queue for all URLs of a server."""
    parts = urlsplit(url)
    port = parts.port or {"http": 80, "https": 443}[parts.scheme]
    name = f"[{parts.hostname}]" if ":" in str(parts.hostname) else parts.hostname
    return f"{parts.scheme}://{name}:{port}"
