"""Says whether other work waits for the processors of this machine."""

import os
from pathlib import Path

_LOAD = Path("/proc/loadavg")
_PROCESSORS = len(os.sched_getaffinity(0))


def processors_are_short() -> bool:
    """Return whether more threads want to run at this moment than there are processors, this one included."""
    running = int(_LOAD.read_text().split()[3].partition("/")[0])
    return running > _PROCESSORS
