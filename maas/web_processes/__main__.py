"""Serves the product over HTTP by several processes that share one port: `python -m maas.web_processes`.

This process imports everything and opens the port, then only watches the web processes that it forks. So a process that
takes the place of one that ended serves within a fraction of a second.

SIGHUP replaces all of it, with the program as it is on disk then, while the port stays open: this process runs its
program anew, and the old web processes end once a new one serves.
"""

import argparse
import importlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterable

import structlog
from django.conf import settings

import maas.web_processes.loaded  # noqa: F401  The forked processes have it then.
from maas.web_processes.group_metrics import GroupMetrics, open_sockets
from maas.web_processes.process_group import SERVES, ProcessGroup
from maas.web_processes.web_process import BACKLOG, Announced, serve
from tenants.core.asgi.protocol import App
from tenants.core.own_folder import keep_temporary_files_in_own_folder

log = structlog.get_logger(__name__)
LEAVE_S = 2.0
"""Seconds for responses to reach their callers after the last request was refused. A caller who does not read cannot be
waited for.
"""


def main(arguments: list[str]) -> int:
    options = _options(arguments)
    processes = settings.MAAS_WEB_PROCESSES
    if options.listener is None:
        listener = _listen(settings.MAAS_HOST, settings.MAAS_PORT)
    else:
        listener = socket.socket(fileno=options.listener)
        listener.set_inheritable(False)
    metrics = open_sockets(processes)
    parent = os.getpid()

    def serve_as(number: int) -> int:
        keep_temporary_files_in_own_folder()
        application = Announced(_load(options.application), lambda: os.kill(parent, SERVES))
        return serve(application if processes == 1 else GroupMetrics(application, number, metrics), listener)

    def renew(running: Iterable[int]) -> None:
        tried = subprocess.run([sys.executable, "-c", "import maas.web_processes.loaded"], check=False)
        if tried.returncode != 0:
            log.error("web_not_renewed", status=tried.returncode, reason="the program on disk cannot start")
            return
        listener.set_inheritable(True)
        own = [options.application, "--leave-s", str(options.leave_s), "--listener", str(listener.fileno())]
        words = ["-m", "maas.web_processes", *own, "--replaces", *map(str, running)]
        os.execv(sys.executable, [sys.executable, *words])  # noqa: S606  There is no shell here either.

    group = ProcessGroup(
        serve_as,
        # As soon as the web processes have closed the port as well, callers learn at once that nobody will accept them.
        listener.close,
        renew,
        processes=processes,
        stop_within_s=settings.MAAS_DRAIN_S + settings.MAAS_FINISH_S + options.leave_s,
        replaced=options.replaces,
    )
    return group.run()


def _load(target: str) -> App:
    module, _, name = target.partition(":")
    application: App = getattr(importlib.import_module(module), name)
    return application


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m maas.web_processes", description=__doc__)
    parser.add_argument("application", nargs="?", default="maas.asgi:application", help="module:name")
    parser.add_argument(
        "--leave-s", type=float, default=LEAVE_S, help="seconds for unread responses after all that a stop waits for"
    )
    # Given by this program to itself.
    parser.add_argument("--listener", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--replaces", type=int, nargs="*", default=[], help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    listener.bind((host, port))
    listener.listen(BACKLOG)
    listener.setblocking(False)
    return listener


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
