"""Sends HTTP requests to providers, with limits on size and time. One that did not respond gets a pause."""

import io
import time
from collections.abc import Mapping
from typing import Any

import requests
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from requests.adapters import HTTPAdapter
from urllib3.exceptions import HTTPError

MAX_BYTES = 1024 * 1024
"""The most bytes of a response. Descriptions and keys take some kilobytes."""
LONGEST_S = 10.0
"""The most seconds for a response that keeps arriving. A response that pauses is given up sooner."""
AWAY_FOR_S = 15.0
_PIECE_BYTES = 64 * 1024
_away: dict[str, tuple[float, str]] = {}


def fetched(url: str, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Fetch a JSON object. Raises OAuth2Error or requests.RequestException."""
    with get_adapter().get_requests_session() as session:
        response = session.get(url, headers=headers)
        response.raise_for_status()
        found = response.json()
    if not isinstance(found, dict):
        raise OAuth2Error(f"{url} answers with something else than an object")
    return found


def fetched_unless_away(url: str) -> dict[str, Any]:
    """Fetch an object unless its provider has just not responded: every click of anybody would wait for it."""
    until, failure = _away.get(url, (0.0, ""))
    if time.monotonic() < until:
        raise requests.ConnectionError(f"{url} did not answer a moment ago: {failure}")
    try:
        found = fetched(url)
    except requests.RequestException as error:
        _away[url] = (time.monotonic() + AWAY_FOR_S, str(error))
        raise
    _away.pop(url, None)
    return found


class TooMuch(requests.RequestException):
    """The response is larger, or takes longer, than any valid response."""


class BoundedAnswers(HTTPAdapter):
    """An adapter that reads the whole response into memory before it is used, so that no later code can read more."""

    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
        until = time.monotonic() + LONGEST_S
        response = super().send(request, *args, **kwargs)
        try:
            response.raw = io.BytesIO(_read(response, until))
        except TooMuch:
            raise
        except (OSError, HTTPError) as error:
            raise requests.ConnectionError(f"{request.url} broke off: {error}", request=request) from error
        return response


def _read(response: requests.Response, until: float) -> bytes:
    read = bytearray()
    with response.raw as body:
        while piece := body.read1(_PIECE_BYTES, decode_content=True):
            read += piece
            if len(read) > MAX_BYTES:
                raise TooMuch(f"{response.url} answers with more than {MAX_BYTES} bytes", response=response)
            if time.monotonic() > until:
                raise TooMuch(f"{response.url} takes longer than {LONGEST_S:.0f} s to answer", response=response)
    return bytes(read)
