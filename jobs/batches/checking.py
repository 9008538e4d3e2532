"""Checks the file of a batch line by line as a stream. It finds the faults of its lines, or the model that all lines
use.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol, TypedDict

from jobs.batches.line_parsing import ENVELOPE_BYTES, BatchLine, LineFault, read_line, rows_in, texts_in

MAX_LINES = 50_000
MAX_FAULTS = 100
"""The number of faults that are reported for one file. If there are more, all of them have the same cause."""
_BOM = b"\xef\xbb\xbf"


class Fault(TypedDict):
    code: str
    message: str
    param: str | None
    line: int | None


class Lines(Protocol):
    def readline(self, max_bytes: int, /) -> bytes: ...


@dataclass(slots=True)
class FileCheck:
    """The check of a file. `check` reads it and passes each good line on, until the first line that has a fault."""

    endpoint: str
    max_body_bytes: int
    on_line: Callable[[bytes, BatchLine], None]
    faults: list[Fault] = field(default_factory=list)
    count: int = 0
    texts: int = 0
    """The texts of all lines. Each line has at least one."""
    rows: int = 0
    """The rows of the tensors of all lines. Each line has at least one."""
    model: str | None = None
    _ids: set[bytes] = field(default_factory=set)

    def check(self, stream: Lines) -> None:
        for number, raw in enumerate(_lines(stream, self.max_body_bytes + ENVELOPE_BYTES), start=1):
            if raw is not None and not raw.strip():
                continue
            self._one(number, raw)
            if self.count > MAX_LINES or len(self.faults) >= MAX_FAULTS:
                return
        if not self.count:
            self.faults.append(_fault("empty_file", "The input file is empty.", None))

    def _one(self, number: int, raw: bytes | None) -> None:
        self.count += 1
        if self.count > MAX_LINES:
            message = f"The input file has more than {MAX_LINES} requests. Split it."
            self.faults.append(_fault("max_requests_exceeded", message, number))
            return
        try:
            self._take(number, raw)
        except LineFault as fault:
            self.faults.append(_fault(fault.code, fault.message, number, fault.param))

    def _take(self, number: int, raw: bytes | None) -> None:
        if raw is None:
            most = self.max_body_bytes
            raise LineFault("request_too_large", f"This line is longer than {most} bytes, the maximum body of a call.")
        line = read_line(raw, number, self.endpoint)
        digest = hashlib.blake2b(line.custom_id.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if digest in self._ids:
            message = f"The custom_id {ascii(line.custom_id)[:80]} is already used by another line of this file."
            raise LineFault("duplicate_custom_id", message, "custom_id")
        self._ids.add(digest)
        self.model = self.model or line.model
        if line.model != self.model:
            message = f"All lines must use one model: this line has {line.model[:80]!r}, others {self.model[:80]!r}."
            raise LineFault("mismatched_model", message, "body.model")
        if not self.faults:
            self.texts += texts_in(line)
            self.rows += rows_in(line)
            self.on_line(raw, line)


def _lines(stream: Lines, max_bytes: int) -> Iterator[bytes | None]:
    """Yield the lines of a stream. A line that is too long is read without being stored, and yields None."""
    beginning = True
    while raw := stream.readline(max_bytes + 1):
        if beginning:
            raw, beginning = raw.removeprefix(_BOM), False
        if len(raw) <= max_bytes or raw.endswith(b"\n"):
            yield raw.strip()
            continue
        while raw and not raw.endswith(b"\n"):
            raw = stream.readline(1 << 16)
        yield None


def batch_fault(code: str, message: str) -> Fault:
    """Return a fault of the whole batch and of none of its lines."""
    return _fault(code, message, None)


def _fault(code: str, message: str, line: int | None, param: str | None = None) -> Fault:
    return {"code": code, "message": message, "param": param, "line": line}
