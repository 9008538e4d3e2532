"""What Python's collector goes through in a process that serves."""

import subprocess
import sys

SETTLED = """
import gc
from maas.collector import NEW_OBJECTS, settle_collector
before = len(gc.get_objects())
settle_collector()
print(gc.get_freeze_count() >= before * 0.9, len(gc.get_objects()) < before / 10, gc.get_threshold()[0] == NEW_OBJECTS)
class Ring: pass
ring = Ring(); ring.self = ring
del ring
print(gc.collect())
"""


def test_what_was_there_at_the_start_is_left_alone_and_new_rings_are_still_found() -> None:
    """In a process of its own: nothing unfreezes what other tests would want collected."""
    said = subprocess.run([sys.executable, "-c", SETTLED], capture_output=True, text=True, check=True).stdout
    frozen, found = said.splitlines()
    assert frozen == "True True True"
    assert int(found) >= 1
