"""Test what bubblewrap alone keeps from a child, and machines without a layer that children need."""

import errno
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from inference.sandbox import LayersMissing, SandboxPool, SandboxUnavailable
from inference.sandbox.inside.confinement import why_refused
from inference.sandbox.isolation import Isolation, child_command, find_bubblewrap

from .asking import ANY_LIMITS
from .conftest import LIMITS, PROGRAM


@pytest.fixture
def walls() -> list[str]:
    bubblewrap = find_bubblewrap()
    if bubblewrap is None:
        pytest.skip("bubblewrap is not installed or may not make namespaces")
    command = child_command(PROGRAM, bubblewrap, 3)
    return command[: command.index("-I")]


@pytest.mark.parametrize("folder", ["/", "/tmp", str(PROGRAM.folder)])
def test_no_file_can_be_left_for_the_next_request(walls: list[str], folder: str) -> None:
    code = f"open({str(Path(folder, 'left'))!r}, 'w')"
    tried = subprocess.run([*walls, "-c", code], env={}, capture_output=True, text=True, check=False)
    assert tried.returncode == 1
    assert "Read-only file system" in tried.stderr


ISOLATION = Isolation(("limits", "seccomp"), {"landlock": "the kernel has none"})


@pytest.mark.parametrize(
    ("needs", "lacking"),
    [
        (set(), {}),
        ({"seccomp"}, {}),
        ({"landlock", "seccomp"}, {"landlock": "the kernel has none"}),
        ({"bubblewrap"}, {"bubblewrap": "no reason is known"}),
    ],
)
def test_what_is_lacking_is_named_with_its_reason(needs: set[str], lacking: dict[str, str]) -> None:
    assert ISOLATION.lacking(needs) == lacking


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (errno.ENOSYS, r"the kernel \(5\.10\) has no Landlock: it needs 5\.13"),
        (errno.EOPNOTSUPP, "off in the kernel"),
        (errno.EPERM, "container's seccomp profile"),
    ],
)
def test_why_there_is_no_landlock_is_said(number: int, reason: str) -> None:
    with pytest.raises(AssertionError, match=reason):
        raise AssertionError(why_refused(OSError(number, os.strerror(number)), "5.10"))


def test_a_child_that_lacks_a_layer_never_serves() -> None:
    pool = SandboxPool(PROGRAM, LIMITS, children=1, use_bubblewrap=False, needs={"bubblewrap"})
    with closing(pool):
        with pytest.raises(LayersMissing, match="lacks bubblewrap, which MAAS_SANDBOX_NEEDS names"):
            pool.wait_until_usable(20)
        assert pool.pids() == []
        with pytest.raises(SandboxUnavailable, match="lacks bubblewrap"):
            pool.ask({"do": "echo"}, accept=lambda value: value, limits=ANY_LIMITS, wait_s=1)
        assert pool.isolation is not None
        assert "bubblewrap" not in pool.isolation.layers


def test_a_kernel_without_landlock_is_found_out() -> None:
    """The kernel is simulated by a filter that answers this process and its children like a kernel without Landlock."""
    tried = subprocess.run(
        [sys.executable, "-c", _WITHOUT_LANDLOCK], capture_output=True, text=True, check=False, timeout=60
    )
    first, second = tried.stdout.splitlines()
    assert first == "limits, nobody, seccomp" if os.getuid() == 0 else first == "limits, seccomp"
    assert "lacks landlock" in second
    assert "it needs 5.13 or later" in second


_WITHOUT_LANDLOCK = f"""
import ctypes, errno, struct, sys
sys.path[:0] = {sys.path!r}
import structlog
structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
from inference.sandbox import SandboxError, SandboxPool
from inference.sandbox.inside.kernel import forbid_new_privileges, prctl
from inference.sandbox.inside.seccomp import _Program
from tests.inference.sandbox.conftest import LIMITS, PROGRAM
from tests.inference.sandbox.asking import assert_works

LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
code = b"".join(struct.pack("=HBBI", *each) for each in [
    (LOAD, 0, 0, 0), (EQUAL, 0, 1, 444), (RETURN, 0, 0, 0x00050000 | errno.ENOSYS), (RETURN, 0, 0, 0x7FFF0000),
])
forbid_new_privileges()
prctl(22, ctypes.c_ulong(2), ctypes.byref(_Program(len(code) // 8, code)))
pool = SandboxPool(PROGRAM, LIMITS, children=1, use_bubblewrap=False)
pool.wait_until_usable(20)
assert_works(pool)
print(pool.isolation)
pool.close()
pool = SandboxPool(PROGRAM, LIMITS, children=1, use_bubblewrap=False, needs={{"landlock", "seccomp"}})
try:
    pool.wait_until_usable(20)
except SandboxError as error:
    print(error)
pool.close()
"""
