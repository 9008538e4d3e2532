"""Runs `manage.py` commands of a product in forks of a process that has already imported the product.

Importing takes a second and a half of processor time, and most commands of a test take a tenth.
"""

import atexit
import json
import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping
from typing import Any

import django

import manage
from tests.kept_cluster import PROJECT

MODULE = "tests.flows.commands"

_servers: dict[str, subprocess.Popen[str]] = {}


def run(arguments: tuple[str, ...], env: Mapping[str, str], services: str) -> subprocess.CompletedProcess[str]:
    """Run one command as `manage.py` would. `services` contains the current addresses of the product's services."""
    server = _server(env, services)
    assert server.stdin
    assert server.stdout
    server.stdin.write(json.dumps(arguments) + "\n")
    server.stdin.flush()
    ended: dict[str, Any] = json.loads(server.stdout.readline())
    return subprocess.CompletedProcess(arguments, ended["code"], ended["output"], ended["errors"])


def _server(env: Mapping[str, str], services: str) -> subprocess.Popen[str]:
    # The imported product has read both, and does not read them again.
    key = json.dumps([services, sorted(env.items())])
    if key not in _servers:
        _servers[key] = subprocess.Popen(
            [sys.executable, "-m", MODULE],
            cwd=PROJECT,
            env=dict(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
    return _servers[key]


@atexit.register
def _close() -> None:
    for server in _servers.values():
        server.communicate()


def _serve() -> None:
    """Fork for each text line until there are no more. Responses use a file descriptor that no command can write to."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "maas.settings")
    django.setup()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _answer(json.loads(line), answers)
        os.waitpid(child, 0)


def _answer(arguments: list[str], answers: Any) -> None:
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(output.fileno(), 1)
        os.dup2(errors.fileno(), 2)
        code = _code(arguments)
        sys.stdout.flush()
        sys.stderr.flush()
        for file in (output, errors):
            file.seek(0)
        ended = {"code": code, "output": output.read(), "errors": errors.read()}
    answers.write(json.dumps(ended) + "\n")
    answers.flush()
    os._exit(0)


def _code(arguments: list[str]) -> int:
    sys.argv = ["manage.py", *arguments]
    try:
        manage.main()
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    _serve()
