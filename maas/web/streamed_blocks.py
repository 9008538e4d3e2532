"""Produces a streamed response block by block. Each block may be produced in another thread, and no thread is held in
between.
"""

import contextvars
import threading
from collections.abc import Iterator
from typing import BinaryIO

from django.db import close_old_connections, connections
from django.http import StreamingHttpResponse

from jobs.intake.spool import BATCH_BYTES


class StreamedBlocks:
    def __init__(self, response: StreamingHttpResponse) -> None:
        self._response = response
        self._file: BinaryIO | None = getattr(response, "file_to_stream", None)
        self._blocks = _read_in_blocks(self._file) if self._file else filter(None, response)
        # A caller that disconnects closes the response, perhaps while a block is being produced.
        self._one_at_a_time = threading.Lock()
        # All blocks share one context, so that what is bound for one block is still bound for the next.
        self._context = contextvars.copy_context()

    @property
    def from_file(self) -> bool:
        """Say whether the blocks come from a file, so that they take no work to make."""
        return self._file is not None

    def next(self) -> bytes | None:
        """Return the next block, or None at the end."""
        close_old_connections()
        with self._one_at_a_time:
            block = self._context.run(next, self._blocks, None)
            if _in_transaction():
                # The response is closed here and now, because only this thread can end the transaction that it began.
                self._context.run(self._response.close)
                raise RuntimeError("a streamed response kept a transaction open from one block to the next")
        return block

    def close(self) -> None:
        with self._one_at_a_time:
            self._context.run(self._response.close)


def _read_in_blocks(file: BinaryIO) -> Iterator[bytes]:
    return iter(lambda: file.read(BATCH_BYTES), b"")


def _in_transaction() -> bool:
    """Say whether a transaction is open. It would stay open for as long as the caller reads, and the next block may
    come from another thread.
    """
    return any(connection.in_atomic_block for connection in connections.all(initialized_only=True))
