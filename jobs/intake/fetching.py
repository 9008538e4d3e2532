"""Fetches files from remote servers. Each of a few threads fetches one file at a time; tenants take turns."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, Protocol, cast
from urllib.parse import urlsplit
from uuid import UUID

from jobs.documents.names import fetched_name
from jobs.documents.uploads import Address
from jobs.intake.fair_slots import FairSlots
from jobs.intake.multipart import too_large
from jobs.intake.spool import SpoolFile, refusal_of
from tenants.core.asgi.protocol import ClientGone
from tenants.core.asgi.stopping import Restarting, Stop
from tenants.core.asgi.threads import BoundedThreads, Overloaded
from tenants.core.errors import DomainError
from tenants.core.http_client.circuits import Circuits
from tenants.core.http_client.client import DOCUMENT_CAPS, Answer, Caps, Cut, check_url, fetch_to
from tenants.core.http_client.errors import EgressFailed, EgressRefused
from tenants.core.http_client.urls import Target

TIMEOUT_S = 5.0
"""The longest wait for a slot, in seconds."""
MAX_WAITING_EACH = 32
SHARE = 4
"""The divisor for the slots of one tenant: a tenant has a quarter of the slots at most, whatever its servers do."""


class Get(Protocol):
    def __call__(self, url: str, file: BinaryIO, *, caps: Caps, cut: Cut | None) -> Answer: ...


@dataclass(frozen=True)
class Fetching:
    """The request to fetch a file: its tenant, its maximum size, its URL and the file to write."""

    tenant_id: UUID
    max_bytes: int
    address: Address
    file: SpoolFile


class Fetcher:
    def __init__(
        self,
        stop: Stop,
        *,
        places: int,
        within_s: float,
        get: Get = fetch_to,
        check: Callable[[str], Target] = check_url,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self._stop = stop
        self._get, self._check = get, check
        self._caps = replace(DOCUMENT_CAPS, total_s=within_s)
        self._timeout_s = timeout_s
        # A fetch whose caller has hung up may occupy a thread for some more seconds. Its slot is given back only after
        # that.
        self._threads = BoundedThreads("fetch", places)
        self._turns = FairSlots(places, max_each=max(1, places // SHARE), max_waiting_each=MAX_WAITING_EACH)
        self._circuits = Circuits()

    async def fetch(self, wanted: Fetching) -> str:
        """Write what is fetched to the file and return its name. A cancel closes the remote connection at once."""
        await self._take_turn(wanted.tenant_id)
        cut = Cut()
        running = asyncio.ensure_future(self._threads.run(self._fetch, wanted, cut))
        running.add_done_callback(lambda done: self._ended(wanted.tenant_id, done))
        try:
            async with self._stop.limit():
                return await asyncio.shield(running)
        except TimeoutError:
            raise Restarting() from None
        finally:
            cut.make()

    def close(self) -> None:
        self._threads.close()

    async def _take_turn(self, tenant_id: UUID) -> None:
        try:
            async with self._stop.limit(self._timeout_s):
                await self._turns.take(tenant_id)
        except TimeoutError:
            raise (Restarting() if self._stop.told else _busy()) from None

    def _ended(self, tenant_id: UUID, done: "asyncio.Future[str]") -> None:
        self._turns.give_back(tenant_id)
        with suppress(asyncio.CancelledError):
            done.exception()  # The caller may be gone.

    def _fetch(self, wanted: Fetching, cut: Cut) -> str:
        """Fetch the file. This runs in a thread."""
        try:
            target = self._check(wanted.address.url)
            # The circuit is also per tenant, so that no tenant can block a server for others.
            circuit = f"{wanted.tenant_id} {target.authority}"
            with cut, self._circuits.of(circuit):
                answer = self._asked(wanted, cut)
        except EgressRefused as error:
            raise UrlNotAllowed(error.detail) from error
        except EgressFailed as error:
            raise failed(error, wanted.address.url) from error
        except OSError as error:
            raise refusal_of(error) from error
        (self._circuits.failed if answer.status >= 500 else self._circuits.succeeded)(circuit)
        if answer.status != 200:
            raise answered(answer, self._check)
        disposition = answer.headers.get("content-disposition", "")
        return fetched_name(given=wanted.address.name, disposition=disposition, path=target.path, host=target.host)

    def _asked(self, wanted: Fetching, cut: Cut) -> Answer:
        """Send the request. An error that is not the remote server's fault is raised outside its failures."""
        caps = replace(self._caps, body_bytes=wanted.max_bytes)
        try:
            return self._get(wanted.address.url, cast("BinaryIO", wanted.file), caps=caps, cut=cut)
        except EgressFailed as error:
            if cut.made:
                raise ClientGone from error
            if error.code == "lookups_busy":
                raise failed(error, wanted.address.url) from error
            if error.code == "answer_too_large":
                raise too_large(wanted.max_bytes) from error
            raise


def _busy() -> Overloaded:
    return Overloaded(
        "Too many files are being fetched. Try again in a few seconds.",
        gate="fetches",
        extra={"retry_after_s": 5},
    )


class UrlNotAllowed(DomainError):
    code = "url_not_allowed"


class UrlNotFetched(DomainError):
    code = "url_not_fetched"


class UrlTooSlow(DomainError):
    code = "url_too_slow"


class UrlPaused(DomainError):
    code = "url_paused"
    gate = "fetch_circuit"


def failed(error: EgressFailed, url: str) -> DomainError:
    match error.code:
        case "no_public_address":
            return UrlNotAllowed(error.detail)
        case "lookups_busy":
            return Overloaded(error.detail, gate="fetches", extra={"retry_after_s": 5})
        case "endpoint_paused":
            return UrlPaused(f"'{_host(url)}' was not contacted. {error.detail}", extra=error.extra)
        case "answer_timeout":
            return UrlTooSlow(f"'{_host(url)}' was too slow. {error.detail} Upload the file instead.")
    return UrlNotFetched(
        f"The file could not be fetched from '{_host(url)}'. {error.detail}", extra={"reason": error.code}
    )


def answered(answer: Answer, check: Callable[[str], Any]) -> UrlNotFetched:
    """Return the error for a response of the remote server whose status is not 200."""
    message = f"The server responded with {answer.status} instead of 200."
    if 300 <= answer.status < 400:
        message += f" Redirects are not followed{_whither(answer, check)}: name where the file is."
    return UrlNotFetched(message, extra={"reason": "status", "remote_status": answer.status})


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
