"""Runs `manage.py` commands in forks of one process that has loaded Django already; alone, each would load it anew."""

import json
import os
import select
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import django

import manage
from maas.collector import hold_collector, settle_collector


class WarmCommands:
    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        """The process ends with this one, of whose pipe it reads the end."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.flows.warm_commands"],
            cwd=folder,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, arguments: tuple[str, ...], timeout_s: float) -> subprocess.CompletedProcess[str]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with TemporaryDirectory() as folder:
            out, err = Path(folder, "out"), Path(folder, "err")
            self._process.stdin.write(json.dumps([arguments, str(out), str(err)]) + "\n")
            self._process.stdin.flush()
            if not select.select([self._process.stdout], [], [], timeout_s)[0]:
                raise subprocess.TimeoutExpired(arguments, timeout_s)
            code = int(self._process.stdout.readline())
            return subprocess.CompletedProcess(arguments, code, out.read_text(), err.read_text())


def serve() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "maas.settings")
    hold_collector()
    django.setup()
    settle_collector()
    for line in sys.stdin:
        arguments, out, err = json.loads(line)
        child = os.fork()
        if child == 0:
            run_here(arguments, out, err)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def run_here(arguments: list[str], out: str, err: str) -> None:
    """Run the command and end, as its own process would."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for descriptor, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), descriptor)
    sys.argv = ["manage.py", *arguments]
    manage.main()
    sys.exit(0)


if __name__ == "__main__":
    serve()
