"""How many cores and how much memory this process may use, control groups included."""

import math
import os
from dataclasses import dataclass
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
OWN_CGROUP = Path("/proc/self/cgroup")


@dataclass(frozen=True, slots=True)
class Machine:
    threads: int
    memory_bytes: int
    has_nvidia_gpu: bool


def usable_threads(affinity_cores: int, quota_cores: float | None) -> int:
    """A quota of 1.5 cores keeps two threads busy; threads beyond the quota would only be throttled."""
    if quota_cores is None:
        return max(1, affinity_cores)
    return max(1, min(affinity_cores, math.ceil(quota_cores)))


def parse_cpu_max(text: str) -> float | None:
    """Cores granted by a version-2 `cpu.max` such as `150000 100000`; None for `max 100000`."""
    quota, _, period = text.strip().partition(" ")
    if quota == "max":
        return None
    return int(quota) / int(period or 100_000)


def parse_memory_max(text: str) -> int | None:
    limit = text.strip()
    return None if limit == "max" else int(limit)


def own_cgroup_folders(membership: str, root: Path) -> tuple[Path, ...]:
    """This process's version-2 group and its parents: a limit on any of them binds."""
    path = next((line[3:] for line in membership.splitlines() if line.startswith("0::")), "/")
    own = root / path.lstrip("/")
    return (own, *(parent for parent in own.parents if parent.is_relative_to(root)))


def _readings(name: str) -> list[str]:
    try:
        folders = own_cgroup_folders(OWN_CGROUP.read_text(), CGROUPS)
    except OSError:
        return []
    return [(folder / name).read_text() for folder in folders if (folder / name).is_file()]


def this_machine() -> Machine:
    quotas = [cores for cores in map(parse_cpu_max, _readings("cpu.max")) if cores is not None]
    limits = [limit for limit in map(parse_memory_max, _readings("memory.max")) if limit is not None]
    installed_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return Machine(
        threads=usable_threads(len(os.sched_getaffinity(0)), min(quotas, default=None)),
        memory_bytes=min([installed_bytes, *limits]),
        has_nvidia_gpu=any(Path("/dev").glob("nvidia[0-9]*")) or Path("/dev/dxg").exists(),
    )
