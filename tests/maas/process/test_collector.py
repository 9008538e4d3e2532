"""Tests of what Python's garbage collector scans in a process that serves."""

import subprocess
import sys

SETTLED = """
import gc
from maas.process.collector import NEW_OBJECTS, hold_collector, settle_collector
hold_collector()
before = len(gc.get_objects())
settle_collector()
looked_through = len(gc.get_objects())
print(gc.isenabled(), gc.get_freeze_count() >= before * 0.9, looked_through < before / 10)
print(gc.get_threshold()[0] == NEW_OBJECTS)
class Ring: pass
ring = Ring(); ring.self = ring
del ring
print(gc.collect())
"""


def test_what_was_there_at_the_start_is_left_alone_and_new_rings_are_still_found() -> None:
    """The test uses a process of its own, since nothing unfreezes what other tests would want collected."""
    said = subprocess.run([sys.executable, "-c", SETTLED], capture_output=True, text=True, check=True).stdout
    frozen, threshold, found = said.splitlines()
    assert (frozen, threshold) == ("True True True", "True")
    assert int(found) >= 1
