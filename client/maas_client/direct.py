"""The upload of a large file directly to the service's storage, as a flow, if the storage can be reached."""

from typing import Any, BinaryIO

from maas_client.errors import Conflict
from maas_client.exchange import Flow, Lost, Pause, Reply, Request
from maas_client.reading import error_of, json_of
from maas_client.resources import Document
from maas_client.sending import CHECKED_S, LONGEST_CUT_S, Sending
from maas_client.submissions import key_header

MAX_TRIES = 3
"""The most attempts for the first part, so that the client does not wait for an unreachable storage."""


class NotFromHere(Exception):
    """The storage accepts no bytes from clients, or none from this client. The service itself accepts them."""


class DirectSending(Sending):
    """An upload in parts. Each part is sent to a signed URL of its own, without the key."""

    _arrived = False
    """A part has arrived. The storage can then be reached, so later failures are retried."""

    def to_storage(self) -> Flow[Document]:
        made = yield from self._begun()
        path, total, part_bytes = made["url"], made["parts"]["total"], made["parts"]["bytes"]
        wanted = list(range(1, total + 1))
        with self._part.open() as file:
            while wanted:
                for number in wanted:
                    yield from self._bring(file, path, number, part_bytes)
                wanted = yield from self._completed(path, total)
        return (yield from self._document(path))

    def _begun(self) -> Flow[dict[str, Any]]:
        body = {"direct": True, "name": self._part.name, "size": self._part.size_bytes}
        asked = Request("POST", "/v1/uploads", json=body, headers=key_header(None))
        try:
            return json_of((yield from self._ask(asked, outage_s=LONGEST_CUT_S)))
        except Conflict as error:
            if error.code == "direct_uploads_unavailable":
                raise NotFromHere from error
            raise

    def _bring(self, file: BinaryIO, path: str, number: int, part_bytes: int) -> Flow[None]:
        """Send a part. Each try uses a new URL, because an old one may have expired."""
        while True:
            asked = Request("POST", f"{path}/parts", json={"numbers": [number]})
            (part,) = json_of((yield from self._ask(asked, outage_s=LONGEST_CUT_S)))["data"]
            file.seek((number - 1) * part_bytes)
            outcome = yield Request("PUT", part["url"], content=file.read(part["bytes"]), elsewhere=True)
            if isinstance(outcome, Reply) and outcome.status < 300:
                self._arrived = True
                self._goes_on()
                return
            yield from self._after_failure(path, outcome)

    def _after_failure(self, path: str, outcome: Reply | Lost | None) -> Flow[None]:
        """Pause after a failure, or raise NotFromHere if no part has ever arrived."""
        unreached = isinstance(outcome, Lost) and outcome.unsent
        if not self._arrived and (unreached or self._tried + 1 >= MAX_TRIES):
            # If this fails, the upload expires by itself.
            yield Request("DELETE", path, headers={"Tus-Resumable": "1.0.0"})
            raise NotFromHere
        error = error_of(outcome)
        assert error is not None
        yield Pause(self._timeout_s(error))

    def _completed(self, path: str, total: int) -> Flow[list[int]]:
        """Complete the upload and return the parts to send again. The list is empty once the service has accepted the
        file.
        """
        while True:
            outcome = yield Request("POST", f"{path}/complete", held_s=CHECKED_S)
            error = error_of(outcome)
            if error is None:
                return []
            if error.code == "parts_missing":
                return (yield from self._missing(path, total))
            yield Pause(self._pause_s(error))

    def _missing(self, path: str, total: int) -> Flow[list[int]]:
        asked = Request("GET", f"{path}/parts")
        stored = json_of((yield from self._ask(asked, outage_s=LONGEST_CUT_S)))["data"]
        return sorted(set(range(1, total + 1)) - {part["number"] for part in stored})
