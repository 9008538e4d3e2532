"""Memory of a fixed size that a child fills with large results and from which its parent copies them."""

import fcntl
import os
from types import TracebackType
from typing import Self

from .errors import ChildMisbehaved


class Arena:
    """An unnamed file in memory that cannot grow or shrink. It takes space only where it is written."""

    def __init__(self, size_bytes: int) -> None:
        self.size_bytes = size_bytes
        self.descriptor = os.memfd_create("arena", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self.descriptor, size_bytes)
        seals = fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
        fcntl.fcntl(self.descriptor, fcntl.F_ADD_SEALS, seals)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self.descriptor)

    def read_into(self, buffer: memoryview, offset: int) -> None:
        """Copies the bytes, so that nothing the child does later can change or unmap what was read."""
        if offset < 0 or offset + len(buffer) > self.size_bytes:
            raise ChildMisbehaved(f"{len(buffer)} bytes at {offset} are not within {self.size_bytes}")
        done = 0
        while done < len(buffer):
            done += os.preadv(self.descriptor, [buffer[done:]], offset + done)
