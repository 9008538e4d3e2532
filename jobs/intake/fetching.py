"""Gets one document from others' servers at a time for each of a few threads, in which tenants take turns."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import BinaryIO, Protocol, cast
from uuid import UUID

from jobs.documents.fetched_names import fetched_name
from jobs.documents.uploads import Address
from jobs.intake.fetch_errors import UrlNotAllowed, answered, failed
from jobs.intake.multipart import too_large
from jobs.intake.spool import SpoolFile, refusal_of
from jobs.intake.turns import Turns
from tenants.core.asgi.protocol import ClientGone
from tenants.core.asgi.stopping import Restarting, Stop
from tenants.core.asgi.threads import BoundedThreads, Overloaded
from tenants.core.http_client.circuits import Circuits
from tenants.core.http_client.client import DOCUMENT_CAPS, Answer, Caps, Cut, check_url, fetch_to
from tenants.core.http_client.errors import EgressFailed, EgressRefused
from tenants.core.http_client.urls import Target

PATIENCE_S = 5.0
"""So long one waits for one's turn."""
MOST_WAITING_EACH = 32
SHARE = 4
"""Of the places one tenant has at most every fourth, whatever its servers do."""


class Get(Protocol):
    def __call__(self, url: str, file: BinaryIO, *, caps: Caps, cut: Cut | None) -> Answer: ...


@dataclass(frozen=True)
class Fetching:
    """Whose document, at most how large, and where it goes."""

    tenant_id: UUID
    most_bytes: int
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
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._stop = stop
        self._get, self._check = get, check
        self._caps = replace(DOCUMENT_CAPS, total_s=within_s)
        self._patience_s = patience_s
        # Whoever has hung up may hold a thread for some seconds more: its place is given back only then.
        self._threads = BoundedThreads("fetch", places)
        self._turns = Turns(places, most_each=max(1, places // SHARE), most_waiting_each=MOST_WAITING_EACH)
        self._circuits = Circuits()

    async def fetch(self, wanted: Fetching) -> str:
        """The document's name; its bytes are in the file. Canceled, it lets go of the other side at once."""
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
            async with self._stop.limit(self._patience_s):
                await self._turns.take(tenant_id)
        except TimeoutError:
            raise (Restarting() if self._stop.told else _busy()) from None

    def _ended(self, tenant_id: UUID, done: "asyncio.Future[str]") -> None:
        self._turns.give_back(tenant_id)
        with suppress(asyncio.CancelledError):
            done.exception()  # Nobody may be left to be told.

    def _fetch(self, wanted: Fetching, cut: Cut) -> str:
        """In a thread."""
        try:
            target = self._check(wanted.address.url)
            # By the tenant too: nobody can silence a server for others.
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
        return fetched_name(
            given=wanted.address.name, disposition=disposition, path=target.path, host=target.host
        )

    def _asked(self, wanted: Fetching, cut: Cut) -> Answer:
        """What is no failure of the other side's leaves as another error than its failures."""
        caps = replace(self._caps, body_bytes=wanted.most_bytes)
        try:
            return self._get(wanted.address.url, cast("BinaryIO", wanted.file), caps=caps, cut=cut)
        except EgressFailed as error:
            if cut.made:
                raise ClientGone from error
            if error.code == "lookups_busy":
                raise failed(error, wanted.address.url) from error
            if error.code == "answer_too_large":
                raise too_large(wanted.most_bytes) from error
            raise


def _busy() -> Overloaded:
    return Overloaded("Too many documents are being fetched. Try again.", extra={"retry_after_s": 5})
