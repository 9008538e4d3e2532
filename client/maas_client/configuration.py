"""The URL of the service and the key, from arguments or from the environment."""

import os
import ssl
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from maas_client.errors import NotConfigured


@dataclass(frozen=True)
class Configuration:
    url: str
    key: str = field(repr=False)
    timeout_s: float
    max_retries: int
    ssl_context: ssl.SSLContext | None

    @classmethod
    def found(
        cls,
        url: str | None,
        api_key: str | None,
        *,
        timeout_s: float,
        max_retries: int,
        ssl_context: ssl.SSLContext | None,
    ) -> "Configuration":
        return cls(
            url=_url(url or os.environ.get("MAAS_URL", "")),
            key=_key(api_key or os.environ.get("MAAS_API_KEY", "")),
            timeout_s=timeout_s,
            max_retries=max_retries,
            ssl_context=ssl_context,
        )

    def socket_url(self, path: str) -> str:
        return "ws" + self.url.removeprefix("http") + path

    @property
    def socket_ssl(self) -> ssl.SSLContext | None:
        return self.ssl_context if self.url.startswith("https:") else None

    @property
    def max_cuts(self) -> int:
        """Return how often an event stream may break: enough for a restart of the service, or 0 without retries."""
        return 10 if self.max_retries else 0


def _url(text: str) -> str:
    if not text:
        raise _not_configured("Say where the service is: url=…, --url, or MAAS_URL in the environment.")
    try:
        parts = urlsplit(text)
        good = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        good = False
    if not good or parts.username or parts.query or parts.fragment:
        raise _not_configured(f"{text[:100]!r} is no address of a service; it looks like https://maas.example.com.")
    return text.rstrip("/")


def _key(text: str) -> str:
    """Check the key here, because an error about an invalid header value would quote it."""
    text = text.strip()
    if not text:
        raise _not_configured("Give a key: api_key=…, or MAAS_API_KEY in the environment.")
    if not all("!" <= character <= "~" for character in text):
        raise _not_configured("The key holds characters that no key has. Copy it again.")
    return text


def _not_configured(detail: str) -> NotConfigured:
    return NotConfigured(detail, code="not_configured")
