"""The memory of another process, as the kernel counts it."""

import os
from pathlib import Path

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class ProcessMemory:
    """The memory of a process that no file backs. It is 0 once the process has ended."""

    def __init__(self, pid: int) -> None:
        self._status = Path(f"/proc/{pid}/status")
        self._pages = os.open(f"/proc/{pid}/statm", os.O_RDONLY | os.O_CLOEXEC)

    def used_bytes(self) -> int:
        """Return the memory now, in a few microseconds."""
        resident, of_files = self._resident()
        return resident - of_files

    def file_bytes(self) -> int:
        """Return the memory that files back, such as the code of libraries."""
        return self._resident()[1]

    def peak_bytes(self) -> int:
        """Return the most that the process ever had at a time, files included."""
        try:
            lines = self._status.read_text().splitlines()
        except OSError:
            return 0
        return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), 0)

    def close(self) -> None:
        os.close(self._pages)

    def _resident(self) -> tuple[int, int]:
        try:
            fields = os.pread(self._pages, 256, 0).split()
        except OSError:
            return 0, 0
        return int(fields[1]) * _PAGE_BYTES, int(fields[2]) * _PAGE_BYTES
