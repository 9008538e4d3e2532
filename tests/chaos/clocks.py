"""Gives each process of a run a time of day of its own, which can be made to jump while it runs."""

import shutil
import subprocess
from pathlib import Path

_SOURCE = Path(__file__).with_name("clock.c")


class Clocks:
    """Of processes that are started with `variables`; needs a C compiler, and a loader that preloads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._folder.mkdir()
        self._library = folder / "clock.so"
        compiler = shutil.which("cc")
        assert compiler is not None, "clocks can be shifted only where there is a C compiler, `cc`"
        flags = ("-O2", "-shared", "-fPIC", "-o", str(self._library), str(_SOURCE), "-ldl", "-pthread")
        subprocess.run([compiler, *flags], check=True)

    def variables(self, name: str) -> dict[str, str]:
        clock = self._folder / name
        clock.write_bytes(bytes(8))
        return {"LD_PRELOAD": str(self._library), "CHAOS_CLOCK": str(clock)}

    def shift(self, name: str, seconds: float) -> None:
        """From what is true, at once; in place, since the processes have the file mapped."""
        with (self._folder / name).open("r+b") as clock:
            clock.write(int(seconds * 1e9).to_bytes(8, "little", signed=True))
