"""The memory that models take: what this process has requested from their device, before and after."""

import ctypes
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Protocol

STATUS = Path("/proc/self/status")
PAGES = Path("/proc/self/statm")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
KEPT_BLOCK_BYTES = 4 << 20
"""The largest block that the allocator keeps. Larger blocks go back to the system when they are freed and are requested
anew. That takes a millisecond for each, while runs take hundreds.
"""
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3


class MemoryGauge(Protocol):
    def used_bytes(self) -> int: ...

    def mapped_bytes(self) -> int:
        """Return the mapped memory, exact to a few megabytes. The cost does not depend on what was allocated before."""

    def give_back(self) -> None:
        """Return freed memory to the system. The allocator may keep it otherwise."""


class _MallocInfo(ctypes.Structure):
    _NAMES = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
    _fields_ = [(name, ctypes.c_size_t) for name in _NAMES.split()]


class MallocMemory:
    """The memory that is allocated now, exact to the byte. It takes microseconds, or milliseconds with many free
    blocks. Resident pages say less: glibc keeps what a load or its end has freed, so the next load would show no
    growth.
    """

    def __init__(self, library: Any) -> None:
        self._library = library
        self._library.mallinfo2.restype = _MallocInfo

    def used_bytes(self) -> int:
        info = self._library.mallinfo2()
        return int(info.uordblks + info.hblkhd)

    def mapped_bytes(self) -> int:
        return data_bytes()

    def give_back(self) -> None:
        self._library.malloc_trim(0)


class ResidentMemory:
    """The process's memory that no file backs, as Linux counts it. It is used if the C library does not report its
    allocations.
    """

    def used_bytes(self) -> int:
        try:
            lines = STATUS.read_text().splitlines()
        except OSError:
            return 0
        return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon:")), 0)

    def mapped_bytes(self) -> int:
        return data_bytes()

    def give_back(self) -> None:
        pass


class GpuMemory:
    """The memory of this process's first GPU. Other processes on it count too, except those on other slices (MIG), and
    where MPS limits the memory of each of its clients.
    """

    def __init__(self, driver: Any) -> None:
        self._driver = driver
        self._device, self._context = ctypes.c_int(), ctypes.c_void_p()
        _checked(driver.cuInit(0))
        _checked(driver.cuDeviceGet(ctypes.byref(self._device), 0))
        _checked(driver.cuDevicePrimaryCtxRetain(ctypes.byref(self._context), self._device))

    def used_bytes(self) -> int:
        free, total = self._free_and_total()
        return total - free

    def mapped_bytes(self) -> int:
        return self.used_bytes()

    def total_bytes(self) -> int:
        return self._free_and_total()[1]

    def give_back(self) -> None:
        pass

    def pci_bus_id(self) -> bytes:
        """Return the address by which other libraries know the same GPU. Numbers depend on CUDA_VISIBLE_DEVICES."""
        address = ctypes.create_string_buffer(32)
        _checked(self._driver.cuDeviceGetPCIBusId(address, len(address), self._device))
        return address.value

    @contextmanager
    def holding(self, size_bytes: int) -> Iterator[None]:
        """Hold this much more of the memory while the block lasts."""
        block = ctypes.c_uint64()
        with self._current():
            _checked(self._driver.cuMemAlloc_v2(ctypes.byref(block), ctypes.c_size_t(size_bytes)))
        try:
            yield
        finally:
            with self._current():
                self._driver.cuMemFree_v2(block)

    def _free_and_total(self) -> tuple[int, int]:
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        with self._current():
            _checked(self._driver.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total)))
        return free.value, total.value

    @contextmanager
    def _current(self) -> Iterator[None]:
        before = ctypes.c_void_p()
        _checked(self._driver.cuCtxPushCurrent_v2(self._context))
        try:
            yield
        finally:
            self._driver.cuCtxPopCurrent_v2(ctypes.byref(before))


class GpuUnknown(RuntimeError):
    """The error for a driver that refuses to answer, or whose answer cannot be used. The message has the reason."""


def _checked(result: int) -> None:
    if result:
        raise GpuUnknown(f"CUDA driver error {result}")


def data_bytes() -> int:
    """Return all memory mapped for writing. Large blocks come and go by themselves (`keep_no_large_blocks`)."""
    try:
        return int(os.pread(_pages(), 256, 0).split()[5]) * PAGE_BYTES
    except OSError:
        return 0


@cache
def _pages() -> int:
    """Return the open file of this process's memory. To open it for each run would take longer than to read it."""
    return os.open(PAGES, os.O_RDONLY | os.O_CLOEXEC)


os.register_at_fork(after_in_child=_pages.cache_clear)


@cache
def host_memory() -> MemoryGauge:
    library = ctypes.CDLL(None)
    return MallocMemory(library) if hasattr(library, "mallinfo2") else ResidentMemory()


@cache
def gpu_memory() -> GpuMemory | None:
    """Return the memory of the GPU, or None if no driver answers."""
    try:
        return GpuMemory(ctypes.CDLL("libcuda.so.1"))
    except (OSError, GpuUnknown):
        return None


def keep_no_large_blocks() -> None:
    """Let the allocator of the process keep no large blocks. After the first large block is freed, glibc would keep all
    up to 32 MB for each thread, and images freed long ago would stay resident.
    """
    library = ctypes.CDLL(None)
    if hasattr(library, "mallinfo2"):
        library.mallopt(_MMAP_THRESHOLD, KEPT_BLOCK_BYTES)
        # This is glibc's own proportion. Setting either value ends the automatic adjustment of both.
        library.mallopt(_TRIM_THRESHOLD, 2 * KEPT_BLOCK_BYTES)


def memory_of(*, on_gpu: bool) -> MemoryGauge:
    return (gpu_memory() if on_gpu else None) or host_memory()


class Part:
    """A load or run. `alone` says whether no other load or run was in progress beside it so far."""

    def __init__(self, activity: "Activity", number: int, began_alone: bool) -> None:
        self._activity = activity
        self._number = number
        self._began_alone = began_alone
        self._given_back_before = activity.given_back_bytes

    @property
    def alone(self) -> bool:
        return self._began_alone and self._activity.begun == self._number

    @property
    def given_back_bytes(self) -> int:
        """Return the memory that others gave back since it began, which the memory in use hides."""
        return self._activity.given_back_bytes - self._given_back_before


class Activity:
    """The loads and runs of this process. The cause of memory growth is known only for a load or run that was alone."""

    def __init__(self) -> None:
        self.begun = self.given_back_bytes = 0
        self._going_on = 0
        self._lock = threading.Lock()
        self._own = threading.local()

    def gave_back(self, counted_bytes: int) -> None:
        with self._lock:
            self.given_back_bytes += counted_bytes

    @contextmanager
    def part(self) -> Iterator[Part]:
        """Yield the current part. Work inside a part in the same thread, such as a warm-up, belongs to it."""
        outer: Part | None = getattr(self._own, "part", None)
        if outer is not None:
            yield outer
            return
        with self._lock:
            self.begun += 1
            part = Part(self, self.begun, self._going_on == 0)
            self._going_on += 1
        self._own.part = part
        try:
            yield part
        finally:
            self._own.part = None
            with self._lock:
                self._going_on -= 1


activity = Activity()
