"""A large file as a flow that goes to the service's storage itself, where that takes bytes and can be reached."""

from typing import Any, BinaryIO

from maas_client.errors import Conflict
from maas_client.exchange import Flow, Lost, Pause, Reply, Request
from maas_client.reading import error_of, json_of
from maas_client.resources import Document
from maas_client.sending import CHECKED_S, LONGEST_CUT_S, Sending
from maas_client.submissions import key_header

MOST_TRIES = 3
"""Of the first part: a storage that takes nothing from here is not waited for."""


class NotFromHere(Exception):
    """The storage takes no bytes from clients, or none that come from here: the service itself does."""


class DirectSending(Sending):
    """In parts, each by a URL of its own that is signed for it, and without the key."""

    _arrived = False
    """Something has. Then the storage can be reached, and what fails afterwards is waited for."""

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
        """By a new URL for each try: an old one may be good no more."""
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
        """A pause; or, where nothing has ever arrived, the end of this way."""
        unreached = isinstance(outcome, Lost) and outcome.unsent
        if not self._arrived and (unreached or self._tried + 1 >= MOST_TRIES):
            # Should that fail, it expires by itself.
            yield Request("DELETE", path, headers={"Tus-Resumable": "1.0.0"})
            raise NotFromHere
        error = error_of(outcome)
        assert error is not None
        yield Pause(self._patience_s(error))

    def _completed(self, path: str, total: int) -> Flow[list[int]]:
        """The parts that are to be sent again; none once the service has taken the file up."""
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
