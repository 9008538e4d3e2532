"""Describes the place and time at which figures were taken. They mean nothing without that."""

import os
import platform
import subprocess
from datetime import UTC, datetime


def circumstances() -> str:
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    return (
        f"{datetime.now(UTC):%Y-%m-%d} · commit {commit} · {platform.machine()}, {os.cpu_count()} cores, "
        f"load {os.getloadavg()[0]:.1f} · Python {platform.python_version()}"
    )
