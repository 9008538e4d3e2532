from pathlib import Path

import pytest

from inference.runtime.machine import (
    own_cgroup_folders,
    parse_cpu_max,
    parse_memory_max,
    this_machine,
    usable_threads,
)


@pytest.mark.parametrize(
    ("text", "cores"),
    [("max 100000\n", None), ("200000 100000\n", 2.0), ("150000 100000", 1.5), ("50000", 0.5)],
)
def test_cpu_quota_is_read_in_cores(text: str, cores: float | None) -> None:
    assert parse_cpu_max(text) == cores


@pytest.mark.parametrize(("text", "limit"), [("max\n", None), ("1073741824\n", 1 << 30)])
def test_memory_limit_is_read_in_bytes(text: str, limit: int | None) -> None:
    assert parse_memory_max(text) == limit


@pytest.mark.parametrize(
    ("affinity", "quota", "threads"), [(8, None, 8), (8, 2.0, 2), (8, 1.5, 2), (2, 4.0, 2), (1, 0.2, 1)]
)
def test_threads_are_the_cores_that_may_be_used_and_at_least_one(
    affinity: int, quota: float | None, threads: int
) -> None:
    assert usable_threads(affinity, quota) == threads


def test_limits_of_parent_groups_are_found_too() -> None:
    folders = own_cgroup_folders("1:name=systemd:/old\n0::/app/worker\n", Path("/sys/fs/cgroup"))
    assert [str(folder) for folder in folders] == [
        "/sys/fs/cgroup/app/worker",
        "/sys/fs/cgroup/app",
        "/sys/fs/cgroup",
    ]


def test_this_machine_has_a_thread_and_memory() -> None:
    machine = this_machine()
    assert machine.threads >= 1
    assert machine.memory_bytes > 0
