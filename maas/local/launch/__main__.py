"""Runs the whole product on this machine until stopped: `python -m maas.local.launch`.

The supervisor does not import Django, because everything else waits until its imports are done.
"""

import asyncio
import os
import sys

from maas.local.launch.launch import launch
from maas.local.launch.options import LaunchOptions
from maas.local.supervisor.console import Console
from maas.process.errors import LaunchError


def main() -> None:
    console = Console(sys.stdout)
    try:
        asyncio.run(launch(LaunchOptions.read(os.environ), console))
    except LaunchError as error:
        console.say(f"cannot run: {error}")
        sys.exit(1)


if __name__ == "__main__":
    main()
