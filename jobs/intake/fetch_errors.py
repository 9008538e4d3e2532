"""The errors for a document that could not be fetched. They say enough to correct the request, and nothing about our
own network.

The messages may be kept in the account's log, so they never contain the path or the query of the requested URL.
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from tenants.core.asgi.threads import Overloaded
from tenants.core.errors import DomainError
from tenants.core.http_client.client import Answer
from tenants.core.http_client.errors import EgressFailed, EgressRefused


class UrlNotAllowed(DomainError):
    code = "url_not_allowed"


class UrlNotFetched(DomainError):
    code = "url_not_fetched"


class UrlTooSlow(DomainError):
    code = "url_too_slow"


class UrlResting(DomainError):
    code = "url_paused"


def failed(error: EgressFailed, url: str) -> DomainError:
    match error.code:
        case "no_public_address":
            return UrlNotAllowed(error.detail)
        case "lookups_busy":
            return Overloaded(error.detail, extra={"retry_after_s": 5})
        case "endpoint_paused":
            return UrlResting(f"'{_host(url)}' was not contacted. {error.detail}", extra=error.extra)
        case "answer_timeout":
            return UrlTooSlow(f"'{_host(url)}' was too slow. {error.detail} Upload the document instead.")
    return UrlNotFetched(
        f"The document could not be fetched from '{_host(url)}'. {error.detail}", extra={"reason": error.code}
    )


def answered(answer: Answer, check: Callable[[str], Any]) -> UrlNotFetched:
    """Return the error for a response of the remote server whose status is not 200."""
    words = f"The server responded with {answer.status} instead of 200."
    if 300 <= answer.status < 400:
        words += f" Redirects are not followed{_whither(answer, check)}: name where the document is."
    return UrlNotFetched(words, extra={"reason": "status", "remote_status": answer.status})


def _whither(answer: Answer, check: Callable[[str], Any]) -> str:
    """Name the host that an allowed redirect leads to, without the path, which may hold a signature."""
    location = answer.headers.get("location", "")
    try:
        check(location.partition("#")[0])
    except EgressRefused:
        return ""
    return f", and this one leads to '{_host(location)}'"


def _host(url: str) -> str:
    return (urlsplit(url).hostname or "")[:253]
