"""Test the filters for the kernel with a small interpreter, including those for other machines."""

import errno
import struct
from dataclasses import dataclass

import pytest

from inference.sandbox.inside.seccomp import (
    AARCH64,
    COMPUTE,
    FORK,
    MACHINES,
    READ_FILES,
    WRITE_FILES,
    X86_64,
    Machine,
    compile_filter,
)

ALLOWED, KILLED, DENIED = 0x7FFF0000, 0x80000000, 0x00050000 | errno.EPERM
I386, ARM = 0x40000003, 0x40000028
ON_BOTH = pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES.keys())
FORBIDDEN = {
    X86_64: {
        "socket": 41,
        "connect": 42,
        "execve": 59,
        "ptrace": 101,
        "unlink": 87,
        "mount": 165,
        "io_uring": 425,
    },
    AARCH64: {
        "socket": 198,
        "connect": 203,
        "execve": 221,
        "ptrace": 117,
        "unlinkat": 35,
        "mount": 40,
        "io_uring": 425,
    },
}
ABSENT_ON_ARM = {"open", "access", "readlink", "fork"}


@dataclass(frozen=True)
class Call:
    number: int
    arch: int
    first_argument: int = 0

    def bytes(self) -> bytes:
        """Return what a filter receives of a call: `struct seccomp_data`."""
        return struct.pack("=iIQ6Q", self.number, self.arch, 0, self.first_argument, 0, 0, 0, 0, 0)


def verdict(code: bytes, call: Call) -> int:
    """Run a filter of loads, jumps and returns, as the kernel's interpreter does."""
    data, accumulator, at = call.bytes(), 0, 0
    instructions = [struct.unpack_from("=HBBI", code, offset) for offset in range(0, len(code), 8)]
    while True:
        operation, on_true, on_false, value = instructions[at]
        at += 1
        match operation:
            case 0x20:
                (accumulator,) = struct.unpack_from("=I", data, value)
            case 0x15:
                at += on_true if accumulator == value else on_false
            case 0x35:
                at += on_true if accumulator >= value else on_false
            case 0x06:
                return int(value)
            case _:
                raise AssertionError(f"no such operation: {operation:#x}")


def code_of(machine: Machine, *, may_open_files: bool = False, may_fork: bool = False) -> bytes:
    return compile_filter(machine, machine.numbers_of(may_open_files=may_open_files, may_fork=may_fork))


@ON_BOTH
@pytest.mark.parametrize("may_open_files", [True, False])
@pytest.mark.parametrize("may_fork", [True, False])
def test_what_is_named_is_allowed_and_nothing_else(machine: Machine, may_open_files: bool, may_fork: bool) -> None:
    code = code_of(machine, may_open_files=may_open_files, may_fork=may_fork)
    names = COMPUTE | (READ_FILES if may_open_files else set()) | (FORK if may_fork else set())
    allowed = {number for name, number in machine.numbers.items() if name in names}
    for number in range(600):
        call = Call(number, machine.audit_arch, first_argument=1)
        assert verdict(code, call) == (ALLOWED if number in allowed else DENIED), number


@ON_BOTH
def test_only_a_child_with_a_workspace_may_create_and_delete(machine: Machine) -> None:
    writes = {machine.numbers[name] for name in WRITE_FILES if name in machine.numbers}
    assert writes
    assert not writes & machine.numbers_of(may_open_files=True, may_fork=True)
    assert writes < machine.numbers_of(may_open_files=True, may_fork=False, may_write=True)


@ON_BOTH
def test_what_could_harm_the_machine_is_denied(machine: Machine) -> None:
    code = code_of(machine, may_open_files=True, may_fork=True)
    for name, number in FORBIDDEN[machine].items():
        assert verdict(code, Call(number, machine.audit_arch)) == DENIED, name


@ON_BOTH
def test_a_call_by_another_table_kills(machine: Machine) -> None:
    others = {I386, ARM, *(other.audit_arch for other in MACHINES.values())} - {machine.audit_arch}
    for arch in others:
        assert verdict(code_of(machine), Call(machine.numbers["read"], arch)) == KILLED


def test_the_32_bit_pointers_of_x86_are_denied() -> None:
    assert verdict(code_of(X86_64), Call(0x40000000 | X86_64.numbers["read"], X86_64.audit_arch)) == DENIED


@ON_BOTH
def test_limits_are_of_the_process_itself_alone(machine: Machine) -> None:
    for process_id, expected in ((0, ALLOWED), (1, DENIED), (4711, DENIED)):
        call = Call(machine.numbers["prlimit64"], machine.audit_arch, process_id)
        assert verdict(code_of(machine), call) == expected


def test_each_machine_has_all_calls_but_those_that_it_never_had() -> None:
    names = COMPUTE | READ_FILES | FORK
    assert names - set(X86_64.numbers) == {"faccessat"}  # There `access` does.
    assert names - set(AARCH64.numbers) == ABSENT_ON_ARM
    for machine in MACHINES.values():
        assert len(set(machine.numbers.values())) == len(machine.numbers)
