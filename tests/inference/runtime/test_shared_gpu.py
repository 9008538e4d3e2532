"""Tests of what a process counts as its own on a GPU that it shares, with a stand-in for the driver's libraries."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from structlog.testing import capture_logs

from inference.runtime.memory_in_use import GpuMemory, GpuUnknown
from inference.runtime.shared_gpu import PROBE_BYTES, GpuProcess, SharedGpuMemory, check_counted, gauge_of, own_bytes

MIB = 1 << 20
OWN, OTHER = os.getpid(), os.getpid() + 1


@dataclass
class Driver:
    """A GPU and its processes, with the memory of each."""

    used: dict[int, int | None] = field(default_factory=lambda: {OWN: 300 * MIB, OTHER: 2000 * MIB})
    counts_probe: bool = True
    listings: int = 0

    def used_bytes(self) -> int:
        return sum(used or 0 for used in self.used.values())

    @contextmanager
    def holding(self, size_bytes: int) -> Iterator[None]:
        before = dict(self.used)
        if self.counts_probe:
            self.used[OWN] = (self.used[OWN] or 0) + size_bytes
        yield
        self.used = before

    def running(self) -> Iterator[GpuProcess]:
        self.listings += 1
        yield from (GpuProcess(pid, used) for pid, used in self.used.items())


def test_only_the_memory_of_the_process_counts() -> None:
    processes = [GpuProcess(7, 100), GpuProcess(8, 900)]
    assert own_bytes(processes, 7) == 100


def test_client_that_is_in_both_lists_counts_once() -> None:
    assert own_bytes([GpuProcess(7, 100), GpuProcess(8, 900), GpuProcess(7, 100)], 7) == 100
    assert own_bytes([GpuProcess(7, None), GpuProcess(7, 100)], 7) == 100


@pytest.mark.parametrize("processes", [[], [GpuProcess(8, 900)], [GpuProcess(7, None)]])
def test_process_without_a_figure_is_unknown_and_not_zero(processes: list[GpuProcess]) -> None:
    assert own_bytes(processes, 7) is None


def test_load_of_another_process_is_no_growth_of_this_one() -> None:
    driver = Driver()
    memory = SharedGpuMemory(driver, driver)
    before_bytes = memory.used_bytes(), memory.mapped_bytes()
    driver.used[OTHER] = 9000 * MIB
    assert (memory.used_bytes(), memory.mapped_bytes()) == before_bytes == (300 * MIB, 300 * MIB)


def test_growth_of_this_process_is_seen_around_every_run() -> None:
    driver = Driver()
    memory = SharedGpuMemory(driver, driver)
    assert memory.mapped_bytes() == 300 * MIB
    driver.used[OWN] = 420 * MIB
    assert memory.mapped_bytes() == 420 * MIB


def test_processes_are_listed_again_only_after_the_gpu_was_used_otherwise() -> None:
    driver = Driver()
    memory = SharedGpuMemory(driver, driver)
    for _ in range(100):
        memory.mapped_bytes()
    assert driver.listings == 1
    driver.used[OTHER] = 2100 * MIB
    for _ in range(100):
        memory.mapped_bytes()
    assert driver.listings == 2


def test_count_during_which_somebody_allocated_is_not_kept() -> None:
    """Otherwise it would return with the next process that gives back just as much."""
    driver = Driver()

    class Allocating(Driver):
        def running(self) -> Iterator[GpuProcess]:
            driver.used[OWN] = 500 * MIB
            return driver.running()

    memory = SharedGpuMemory(driver, Allocating())
    assert memory.mapped_bytes() == 500 * MIB
    driver.used[OTHER] = 1800 * MIB
    assert driver.used_bytes() == 2300 * MIB
    listings = driver.listings
    memory.mapped_bytes()
    assert driver.listings == listings + 1


def test_process_that_is_no_longer_listed_is_an_error_and_not_zero() -> None:
    driver = Driver()
    memory = SharedGpuMemory(driver, driver)
    memory.used_bytes()
    del driver.used[OWN]
    with pytest.raises(GpuUnknown, match="does not list this process"):
        memory.mapped_bytes()


def test_driver_that_counts_what_the_process_takes_is_trusted() -> None:
    driver = Driver()
    check_counted(SharedGpuMemory(driver, driver), driver)
    assert driver.used[OWN] == 300 * MIB


@pytest.mark.parametrize("listed", [0, 300 * MIB])
def test_driver_that_lists_the_process_and_does_not_count_it_is_not_trusted(listed: int) -> None:
    """As in a container, where memory may be missing, or be that of another process with the same number outside."""
    driver = Driver({OWN: listed}, counts_probe=False)
    with pytest.raises(GpuUnknown, match=f"NVML counted 0 of {PROBE_BYTES} bytes"):
        check_counted(SharedGpuMemory(driver, driver), driver)


class UnknownGpu(GpuMemory):
    """A GPU that NVML does not know, or on this machine no NVML that could know it."""

    def __init__(self) -> None:
        pass

    def pci_bus_id(self) -> bytes:
        return b"ffff:ff:1f.7"


def test_worker_that_has_the_whole_gpu_counts_all_of_it_without_asking() -> None:
    gpu = UnknownGpu()
    with capture_logs() as logs:
        assert gauge_of(gpu, 1) is gpu
    assert logs == []


def test_worker_whose_share_cannot_be_counted_says_so_and_counts_the_whole_gpu() -> None:
    gpu = UnknownGpu()
    with capture_logs() as logs:
        assert gauge_of(gpu, 0.5) is gpu
    (line,) = logs
    assert (line["event"], line["log_level"]) == ("gpu_share_not_counted", "warning")
    assert "NVML" in line["reason"]
