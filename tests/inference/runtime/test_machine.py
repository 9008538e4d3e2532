from collections.abc import Mapping
from pathlib import Path

import pytest

from inference.runtime.machine import (
    Granted,
    granted,
    own_cgroup_folders,
    parse_cpu_max,
    parse_memory_max,
    parse_processor,
    processor,
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


VERSION_1 = "9:memory:/pod/worker\n4:cpu,cpuacct:/pod/worker\n1:name=systemd:/pod/worker\n0::/pod/worker\n"
UNLIMITED = "9223372036854771712\n"


def cgroups(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.mark.parametrize(
    ("membership", "files", "limits"),
    [
        ("0::/\n", {"memory.max": "1000\n", "cpu.max": "150000 100000\n"}, Granted(1.5, 1000)),
        (
            "0::/pod/worker\n",
            {"pod/memory.max": "1000\n", "pod/worker/memory.max": "max\n"},
            Granted(None, 1000),
        ),
        (
            VERSION_1,
            {
                "memory/pod/memory.limit_in_bytes": "1000\n",
                "memory/pod/worker/memory.limit_in_bytes": UNLIMITED,
                "cpu,cpuacct/pod/worker/cpu.cfs_quota_us": "50000\n",
                "cpu,cpuacct/pod/worker/cpu.cfs_period_us": "20000\n",
            },
            Granted(2.5, 1000),
        ),
        (
            VERSION_1,
            {
                "memory/memory.limit_in_bytes": "1000\n",
                "cpu/cpu.cfs_quota_us": "300000\n",
                "cpu/cpu.cfs_period_us": "100000\n",
            },
            Granted(3.0, 1000),
        ),
        (
            VERSION_1,
            {
                "memory/pod/worker/memory.limit_in_bytes": UNLIMITED,
                "cpu/pod/worker/cpu.cfs_quota_us": "-1\n",
                "cpu/pod/worker/cpu.cfs_period_us": "100000\n",
            },
            Granted(None, int(UNLIMITED)),
        ),
        (VERSION_1, {}, Granted(None, None)),
    ],
    ids=["own", "of a parent", "version 1", "version 1 in a container", "version 1 without limits", "none"],
)
def test_limits_are_found_in_either_version_of_control_groups(
    tmp_path: Path, membership: str, files: Mapping[str, str], limits: Granted
) -> None:
    assert granted(membership, cgroups(tmp_path, files)) == limits


def test_this_machine_has_a_thread_and_memory() -> None:
    machine = this_machine()
    assert machine.threads >= 1
    assert machine.memory_bytes > 0


def test_processor_is_named_as_the_kernel_names_it() -> None:
    assert parse_processor("processor\t: 0\nmodel name\t: AMD EPYC 7B13\nflags\t: fpu\n") == "AMD EPYC 7B13"
    assert parse_processor("processor\t: 0\nBogoMIPS\t: 50.00\n") is None
    assert processor()
