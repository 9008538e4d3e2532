import subprocess
import sys
from pathlib import Path

import pytest

from inference.engine.engine import HOST_SHARE, local_engine
from inference.runtime.machine import this_machine
from inference.runtime.memory_in_use import ResidentMemory, gpu_memory, host_memory

THREADS, PICTURE_BYTES = 8, 16 << 20
PICTURES_IN_THREADS = f"""
import threading
from inference.engine.engine import local_engine
from inference.runtime.memory_in_use import ResidentMemory
local_engine()
bytearray({PICTURE_BYTES} + 4096)
before_bytes = ResidentMemory().used_bytes()
all_read = threading.Barrier({THREADS} + 1)
over = threading.Event()

def read_picture():
    bytearray({PICTURE_BYTES})
    all_read.wait()
    over.wait()

readers = [threading.Thread(target=read_picture) for _ in range({THREADS})]
for reader in readers:
    reader.start()
all_read.wait()
print(ResidentMemory().used_bytes() - before_bytes)
over.set()
"""


def test_models_get_a_share_of_the_machine_unless_told() -> None:
    if gpu_memory() is None:
        assert local_engine().host.budget_bytes == int(this_machine().memory_bytes * HOST_SHARE)
    assert local_engine(memory_bytes=12345).host.budget_bytes == 12345


def test_folder_for_engines_is_made_where_it_is_wanted(tmp_path: Path) -> None:
    local_engine(tensorrt_cache=tmp_path / "home" / "tensorrt")
    assert (tmp_path / "home" / "tensorrt").is_dir()


@pytest.mark.skipif(isinstance(host_memory(), ResidentMemory), reason="the C library is not glibc")
def test_pictures_that_are_gone_leave_nothing_resident_in_the_threads_that_read_them() -> None:
    # This runs in a separate process, because settings of the C library apply to the whole process.
    command = [sys.executable, "-c", PICTURES_IN_THREADS]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert int(told.split()[-1]) < 2 * PICTURE_BYTES
