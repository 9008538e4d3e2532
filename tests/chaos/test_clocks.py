"""Tests that a shifted process has another time of day, and counts its seconds as before."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .clocks import Clocks

pytestmark = pytest.mark.long

HOUR_S = 3600.0
TELLS = """
import datetime, queue, sys, threading, time
import psycopg, uvloop

def turn_for_ever():
    while True:
        pass

# Another thread that never lets go: who waits for its turn does so by the other clock.
threading.Thread(target=turn_for_ever, daemon=True).start()
for _ in sys.stdin:
    begun = time.monotonic()
    try:
        queue.Queue().get(timeout=0.05)
    except queue.Empty:
        pass
    print(time.time(), datetime.datetime.now(datetime.UTC).timestamp(), time.monotonic() - begun, flush=True)
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_a_clock_jumps_while_its_process_runs_and_waits_last_as_long_as_ever(tmp_path: Path) -> None:
    clocks = Clocks(tmp_path / "clocks")
    env = {**os.environ, **clocks.variables("web-1")}
    program = [sys.executable, "-c", TELLS]
    with subprocess.Popen(program, env=env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        for shift_s in (0.0, 2 * HOUR_S, -5 * HOUR_S, 0.0):
            clocks.shift("web-1", shift_s)
            before_s = time.time()
            child.stdin.write("tell\n")
            child.stdin.flush()
            *told, waited_s = (float(word) for word in child.stdout.readline().split())
            assert all(before_s + shift_s <= moment_s <= time.time() + shift_s for moment_s in told)
            assert 0.05 <= waited_s < HOUR_S / 2
        child.stdin.close()
