"""Runs the harness once for `make chaos`. It exits with 1 if a promise was broken."""

import asyncio
import shutil
import sys
import tempfile
import time
from pathlib import Path

from maas.local.supervisor.console import Console

from .options import read_options
from .report import describe_options, tell
from .run import run


def main() -> int:
    options = read_options(sys.argv[1:])
    began = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - began:6.1f}  {text}", flush=True)

    say(describe_options(options))
    folder = Path(tempfile.mkdtemp(prefix="maas-chaos-"))
    whole = False
    try:
        with (folder / "product.log").open("w") as log:
            verdict = asyncio.run(run(options, folder / "var", Console(log), say))
        tell(verdict, options, say)
        whole = not verdict.broken
    finally:
        if (whole or options.control) and not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            say(f"what the processes said: {folder / 'product.log'}")
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main())
