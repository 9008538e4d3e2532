"""The memory of this process alone on a GPU that others use as well, counted by the driver's library NVML."""

import ctypes
import os
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

import structlog

from inference.runtime.memory_in_use import GpuMemory, GpuUnknown, MemoryGauge

log = structlog.get_logger(__name__)

PROBE_BYTES = 64 << 20
"""The memory that is held for a moment to see whether it is counted. Libraries take less by themselves."""
LISTS = ("nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetMPSComputeRunningProcesses_v3")
"""NVML's functions that list processes. A client of MPS may be in the second list alone."""
_INSUFFICIENT_SIZE = 7
_NOT_AVAILABLE = 2**64 - 1
_SPARE = 16
"""The processes that may begin between two calls."""


@dataclass(frozen=True, slots=True)
class GpuProcess:
    pid: int
    used_bytes: int | None
    """The bytes of the GPU's memory, or None if the driver gives no figure."""


class Gpu(Protocol):
    """The whole GPU: `GpuMemory`."""

    def used_bytes(self) -> int: ...

    def holding(self, size_bytes: int) -> AbstractContextManager[None]: ...


class GpuProcesses(Protocol):
    """The processes on that GPU: `NvmlProcesses`."""

    def running(self) -> Iterable[GpuProcess]: ...


class _ProcessInfo(ctypes.Structure):
    _fields_ = [
        ("pid", ctypes.c_uint),
        ("used_bytes", ctypes.c_ulonglong),
        ("gpu_instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    ]


class NvmlProcesses:
    """The processes on a GPU, as NVML lists them."""

    def __init__(self, library: Any, pci_bus_id: bytes) -> None:
        """Find the GPU. Raises GpuUnknown, or AttributeError if the library is too old."""
        self._lists = [getattr(library, name) for name in LISTS]
        self._device = ctypes.c_void_p()
        _checked(library.nvmlInit_v2())
        _checked(library.nvmlDeviceGetHandleByPciBusId_v2(pci_bus_id, ctypes.byref(self._device)))

    def running(self) -> Iterator[GpuProcess]:
        for listed in self._lists:
            yield from self._listed(listed)

    def _listed(self, listed: Any) -> Iterator[GpuProcess]:
        count = ctypes.c_uint(_SPARE)
        infos = (_ProcessInfo * count.value)()
        while (result := listed(self._device, ctypes.byref(count), infos)) == _INSUFFICIENT_SIZE:
            count = ctypes.c_uint(count.value + _SPARE)
            infos = (_ProcessInfo * count.value)()
        _checked(result)
        for info in infos[: count.value]:
            yield GpuProcess(info.pid, None if info.used_bytes == _NOT_AVAILABLE else info.used_bytes)


@dataclass(frozen=True, slots=True)
class _Count:
    own_bytes: int
    gpu_bytes: int
    """The use of the whole GPU before and after."""


class SharedGpuMemory:
    """The memory of this process on its GPU."""

    def __init__(self, gpu: Gpu, processes: GpuProcesses) -> None:
        self._gpu = gpu
        self._processes = processes
        self._counted: _Count | None = None

    def used_bytes(self) -> int:
        gpu_bytes = self._gpu.used_bytes()
        counted_bytes = own_bytes(self._processes.running(), os.getpid())
        if counted_bytes is None:
            raise GpuUnknown("NVML does not list this process with its memory")
        # If somebody allocated meanwhile, the two figures may be of different moments.
        if self._gpu.used_bytes() == gpu_bytes:
            self._counted = _Count(counted_bytes, gpu_bytes)
        return counted_bytes

    def mapped_bytes(self) -> int:
        """Return the last count while the use of the whole GPU is the same, because NVML may take longer than a run."""
        counted = self._counted
        if counted is not None and counted.gpu_bytes == self._gpu.used_bytes():
            return counted.own_bytes
        return self.used_bytes()

    def give_back(self) -> None:
        pass


def own_bytes(processes: Iterable[GpuProcess], pid: int) -> int | None:
    """Return the memory of a process, which may be listed twice, or None if no list has a figure."""
    figures = [process.used_bytes for process in processes if process.pid == pid and process.used_bytes is not None]
    return max(figures, default=None)


def check_counted(memory: SharedGpuMemory, gpu: Gpu) -> None:
    """Raise GpuUnknown unless memory that this process takes is counted as its own.

    A driver may list the processes of a container without their memory, or under the numbers that they have outside,
    where another process may have the number of this one.
    """
    before_bytes = memory.used_bytes()
    with gpu.holding(PROBE_BYTES):
        counted_bytes = memory.used_bytes() - before_bytes
    # The driver may have had some of it already.
    if counted_bytes < PROBE_BYTES // 2:
        raise GpuUnknown(f"NVML counted {counted_bytes} of {PROBE_BYTES} bytes that this process took")


def gauge_of(gpu: GpuMemory, gpu_share: float) -> MemoryGauge:
    """Return what counts the memory of models: that of this process alone, if others use the GPU as well."""
    if gpu_share == 1:
        return gpu
    try:
        return shared_gpu_memory(gpu)
    except GpuUnknown as error:
        log.warning("gpu_share_not_counted", reason=str(error))
        return gpu


def shared_gpu_memory(gpu: GpuMemory) -> SharedGpuMemory:
    """Return the gauge of this process's own memory. Raises GpuUnknown with the reason if NVML does not count it."""
    try:
        processes = NvmlProcesses(ctypes.CDLL("libnvidia-ml.so.1"), gpu.pci_bus_id())
    except (OSError, AttributeError) as error:
        raise GpuUnknown(f"NVML cannot be used: {error}") from error
    memory = SharedGpuMemory(gpu, processes)
    check_counted(memory, gpu)
    return memory


def _checked(result: int) -> None:
    if result:
        raise GpuUnknown(f"NVML error {result}")
