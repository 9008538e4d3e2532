"""Gives each process of a run its own time of day, which can be made to jump while it runs."""

import shutil
import subprocess
from pathlib import Path

_SOURCE = Path(__file__).with_name("clock.c")


class Clocks:
    """The clocks of processes that are started with `variables`. It needs a C compiler, and a loader that preloads."""

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
        """Shift a clock from the true time, at once. The file is written in place, because the processes have mapped
        it.
        """
        with (self._folder / name).open("r+b") as clock:
            clock.write(int(seconds * 1e9).to_bytes(8, "little", signed=True))
