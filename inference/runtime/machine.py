"""The number of cores and the memory that this process may use, including the limits of control groups."""

import math
import os
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
OWN_CGROUP = Path("/proc/self/cgroup")
CFS = ("cpu.cfs_quota_us", "cpu.cfs_period_us")
CPUINFO = Path("/proc/cpuinfo")


@dataclass(frozen=True, slots=True)
class Machine:
    threads: int
    memory_bytes: int
    has_nvidia_gpu: bool


@dataclass(frozen=True, slots=True)
class Granted:
    cores: float | None
    memory_bytes: int | None


def usable_threads(affinity_cores: int, quota_cores: float | None) -> int:
    """Return the number of threads. A quota of 1.5 cores keeps two busy, and more would only be throttled."""
    if quota_cores is None:
        return max(1, affinity_cores)
    return max(1, min(affinity_cores, math.ceil(quota_cores)))


def parse_cpu_max(text: str) -> float | None:
    """Return the cores granted by a version-2 `cpu.max` such as `150000 100000`, or None for `max 100000`."""
    quota, _, period = text.strip().partition(" ")
    if quota == "max":
        return None
    return int(quota) / int(period or 100_000)


def parse_memory_max(text: str) -> int | None:
    limit = text.strip()
    return None if limit == "max" else int(limit)


def own_cgroup_folders(membership: str, root: Path, controller: str = "") -> tuple[Path, ...]:
    """Return the folders of this process's cgroup and its parents, all of whose limits apply.

    Without a controller, they are the folders of cgroup version 2. Version 1 has one tree for each controller, and two
    controllers may share a tree. In a container, the process's own group may be the root of the tree.
    """
    found: list[Path] = []
    for line in membership.splitlines():
        _, names, path = line.split(":", 2)
        if controller in names.split(","):
            for tree in dict.fromkeys((root / names, root / controller)):
                own = tree / path.lstrip("/")
                found += [own, *(parent for parent in own.parents if parent.is_relative_to(tree))]
    return tuple(found)


def granted(membership: str, root: Path) -> Granted:
    """Return the limits of this process's control groups, of either version, or of both if they are mixed."""
    quotas = [
        *map(parse_cpu_max, _readings(own_cgroup_folders(membership, root), "cpu.max")),
        *map(_cfs_quota, own_cgroup_folders(membership, root, "cpu")),
    ]
    limits = [
        *_readings(own_cgroup_folders(membership, root), "memory.max"),
        *_readings(own_cgroup_folders(membership, root, "memory"), "memory.limit_in_bytes"),
    ]
    return Granted(
        min((quota for quota in quotas if quota is not None), default=None),
        min((limit for limit in map(parse_memory_max, limits) if limit is not None), default=None),
    )


def _readings(folders: Iterable[Path], name: str) -> list[str]:
    return [(folder / name).read_text() for folder in folders if (folder / name).is_file()]


def _cfs_quota(folder: Path) -> float | None:
    """Return the quota in cores. The value -1 in the file stands for no quota."""
    readings = [text for name in CFS for text in _readings([folder], name)]
    if len(readings) < len(CFS) or int(readings[0]) < 0:
        return None
    return int(readings[0]) / int(readings[1])


def parse_processor(cpuinfo: str) -> str | None:
    """Return the processor's name, such as `AMD EPYC 7B13`. Its measurements say little about another."""
    lines = (line.partition(":") for line in cpuinfo.splitlines())
    return next((value.strip() for name, _, value in lines if name.strip() == "model name"), None)


def processor() -> str:
    try:
        named = parse_processor(CPUINFO.read_text())
    except OSError:
        named = None
    return named or platform.processor() or platform.machine()


def processor_features() -> str:
    """Return what the processor can do, by which libraries choose their kernels. Virtual machines on processors of the
    same name may differ in it.
    """
    try:
        lines = [line.partition(":") for line in CPUINFO.read_text().splitlines()]
    except OSError:
        return processor()
    named = [value.strip() for name, _, value in lines if name.strip() in ("flags", "Features")]
    return f"{processor()} {platform.machine()} {named[0] if named else ''}"


def this_machine() -> Machine:
    try:
        limits = granted(OWN_CGROUP.read_text(), CGROUPS)
    except OSError:
        limits = Granted(None, None)
    installed_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return Machine(
        threads=usable_threads(len(os.sched_getaffinity(0)), limits.cores),
        memory_bytes=min(installed_bytes, limits.memory_bytes or installed_bytes),
        has_nvidia_gpu=any(Path("/dev").glob("nvidia[0-9]*")) or Path("/dev/dxg").exists(),
    )
