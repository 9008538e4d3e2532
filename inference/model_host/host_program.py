"""The program that a host runs, and where it is installed."""

import sysconfig
from pathlib import Path

from inference.sandbox import Program

HOST_PROGRAM = Program(
    folder=Path(__file__).parent,
    module="confined.program",
    libraries=tuple(Path(path) for path in sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})),
)
