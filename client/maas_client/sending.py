"""The upload of a large file as a flow: it is sent in parts, and resumed after an interruption.

The service says where to resume.
"""

import base64
import math
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, Protocol

from maas_client.errors import InvalidRequest, MaasError
from maas_client.exchange import Flow, Pause, Reply, Request
from maas_client.reading import error_of, json_of
from maas_client.resources import Document
from maas_client.retries import backoff_s, may_pass
from maas_client.submissions import key_header
from maas_client.uploads import FilePart

LARGE_BYTES = 32 * 2**20
"""The size up to which a file is sent in a single request."""
PART_BYTES = 16 * 2**20
"""The size of a part. Only a single part is in memory at a time."""
LONGEST_CUT_S = 600.0
"""Seconds without progress after which the upload fails."""
CHECKED_S = 30.0
"""The longest time in seconds that the service may check the file before it answers the last part."""
LOOKED_EVERY_S = 1.0
_TUS = {"Tus-Resumable": "1.0.0"}
_GOES_ON = frozenset({"offset_mismatch", "upload_locked", "request_timeout", "storage_full"})


class Ask(Protocol):
    def __call__(self, request: Request, *, outage_s: float = 0.0) -> Flow[Reply]: ...


class Sending:
    def __init__(
        self,
        part: FilePart,
        *,
        ask: Ask,
        clock: Callable[[], float],
        jitter: Callable[[], float],
        worry: Callable[[MaasError], None] | None,
    ) -> None:
        self._part = part
        self._ask = ask
        self._clock = clock
        self._jitter = jitter
        self._worry = worry
        self._tried = 0
        self._over_at = math.inf

    def document(self, key: str | None) -> Flow[Document]:
        """Send a document and return it once the service has checked it."""
        path = yield from self._sent(key, {})
        upload = yield from self._checked(path)
        asked = Request("GET", f"/v1/documents/{upload['document']}")
        body = json_of((yield from self._ask(asked, outage_s=LONGEST_CUT_S)))
        return Document.from_json({**body, "duplicate": upload["duplicate"]})

    def model_file(self, key: str | None) -> Flow[str]:
        """Send the file of a model and return the id of the upload, which a request about the model then names."""
        path = yield from self._sent(key, {"purpose": "model"})
        return str((yield from self._checked(path))["id"])

    def _sent(self, key: str | None, metadata: Mapping[str, str]) -> Flow[str]:
        """Send all bytes and return the path of the upload. With a key that began one before, continue that one."""
        size_bytes = self._part.size_bytes
        values = {"filename": self._part.name, **metadata}
        headers = {
            **_TUS,
            "Upload-Length": str(size_bytes),
            "Upload-Metadata": ",".join(f"{name} {_base64(value)}" for name, value in values.items()),
            **key_header(key),
        }
        made = yield from self._ask(Request("POST", "/v1/uploads", headers=headers), outage_s=LONGEST_CUT_S)
        path, offset = made.headers["location"], int(made.headers["upload-offset"])
        with self._part.open() as file:
            while offset < size_bytes:
                offset = yield from self._send(file, path, offset)
        return path

    def _send(self, file: BinaryIO, path: str, offset: int) -> Flow[int]:
        """Send a part and return the offset at which to continue."""
        file.seek(offset)
        headers = {
            **_TUS,
            "Upload-Offset": str(offset),
            "Content-Type": "application/offset+octet-stream",
        }
        outcome = yield Request("PATCH", path, content=file.read(PART_BYTES), headers=headers, held_s=CHECKED_S)
        error = error_of(outcome)
        if error is None and isinstance(outcome, Reply):
            self._goes_on()
            return int(outcome.headers["upload-offset"])
        assert error is not None
        yield Pause(self._pause_s(error))
        stands = yield from self._ask(Request("HEAD", path, headers=_TUS), outage_s=LONGEST_CUT_S)
        now_at = int(stands.headers["upload-offset"])
        if now_at > offset:
            self._goes_on()
        return now_at

    def _goes_on(self) -> None:
        self._tried, self._over_at = 0, math.inf

    def _pause_s(self, error: MaasError) -> float:
        """Return the seconds until the next try. Raise an error that cannot pass, or that has lasted for too long."""
        if error.code not in _GOES_ON and not may_pass(error):
            raise error
        self._over_at = min(self._over_at, self._clock() + LONGEST_CUT_S)
        left_s = self._over_at - self._clock()
        if left_s <= 0:
            raise error
        if not self._tried and self._worry:
            self._worry(error)
        asked_s: float | None = getattr(error, "retry_after", None)
        delay_s = backoff_s(self._tried, self._jitter()) if asked_s is None else asked_s
        self._tried += 1
        return min(delay_s, left_s)

    def _checked(self, path: str) -> Flow[dict[str, Any]]:
        while True:
            upload = json_of((yield from self._ask(Request("GET", path), outage_s=LONGEST_CUT_S)))
            if upload["state"] == "ready":
                return upload
            _require_hope(upload)
            yield Pause(LOOKED_EVERY_S)


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _require_hope(upload: dict[str, Any]) -> None:
    """Raise the reason if the upload can no longer become what it was sent for."""
    if upload["state"] == "checking":
        return
    error = upload["error"] or {
        "code": "upload_gone",
        "detail": f"The upload is {upload['state']}: send the file again.",
    }
    raise InvalidRequest(error["detail"], code=error["code"], status=422)
