"""The server that an address is at."""

from urllib.parse import urlsplit


def origin_of(url: str) -> str:
    """Scheme, name and port: one queue for all of a server's addresses."""
    parts = urlsplit(url)
    port = parts.port or {"http": 80, "https": 443}[parts.scheme]
    name = f"[{parts.hostname}]" if ":" in str(parts.hostname) else parts.hostname
    return f"{parts.scheme}://{name}:{port}"
