"""What is said of a document that could not be fetched: enough to put it right, and nothing about our own network.

The words may be kept in the account's log: they never hold the path or the query of what was asked for.
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
    code = "url_resting"


def failed(error: EgressFailed, url: str) -> DomainError:
    match error.code:
        case "no_public_address":
            return UrlNotAllowed(error.detail)
        case "lookups_busy":
            return Overloaded(error.detail, extra={"retry_after_s": 5})
        case "endpoint_resting":
            return UrlResting(f"'{_host(url)}' was not asked. {error.detail}", extra=error.extra)
        case "answer_timeout":
            return UrlTooSlow(f"'{_host(url)}' was too slow. {error.detail} Upload the document instead.")
    return UrlNotFetched(
        f"'{_host(url)}' did not give the document. {error.detail}", extra={"reason": error.code}
    )


def answered(answer: Answer, check: Callable[[str], Any]) -> UrlNotFetched:
    """A status of theirs other than 200."""
    words = f"The server answered {answer.status}, not 200."
    if 300 <= answer.status < 400:
        words += f" Redirects are not followed{_whither(answer, check)}: name where the document is."
    return UrlNotFetched(words, extra={"reason": "status", "remote_status": answer.status})


def _whither(answer: Answer, check: Callable[[str], Any]) -> str:
    """Where to, as far as it might be asked for itself; without the path, as a signature may be anywhere in it."""
    location = answer.headers.get("location", "")
    try:
        check(location.partition("#")[0])
    except EgressRefused:
        return ""
    return f", and this one leads to '{_host(location)}'"


def _host(url: str) -> str:
    return (urlsplit(url).hostname or "")[:253]
