"""A template whose forks live until its parent ends them, such as the hosts of models."""

import gc
import os
import signal
import socket
from collections.abc import Callable
from typing import NoReturn

from .channel import Json, receive_with_files, send
from .confinement import Confinement, confine_fork
from .packets import Packets

_MAX_ORDER_BYTES = 4096


class Keeper:
    """A process that never reads a request itself. It obeys its parent alone, one order at a time:

    - `{"fork": {"memory_bytes": …}}` with a socket: fork, and reply with the process id of the fork;
    - `{"lower": pid, "nice": …}`: give the fork less processor time;
    - `{"end": pid}`: end the fork if it still runs, and reply with the exit status that it had.
    """

    def __init__(self, control: socket.socket, serve_fork: Callable[[Packets], None], confinement: Confinement) -> None:
        self._control = control
        self._serve_fork = serve_fork
        self._confinement = confinement
        self._pid = os.getpid()

    def serve(self) -> NoReturn:
        # A garbage collection would write to every object and so copy the pages that forks share with this process.
        gc.freeze()
        while True:
            order, files = receive_with_files(self._control, _MAX_ORDER_BYTES)
            send(self._control, self._obey(order, files))

    def _obey(self, order: Json, files: list[int]) -> Json:
        match order:
            case {"fork": limits}:
                (channel,) = files
                pid = os.fork()
                if pid == 0:
                    self._work_and_end(channel, limits)
                os.close(channel)
                return {"pid": pid}
            case {"lower": int(pid), "nice": int(nice)}:
                os.setpriority(os.PRIO_PROCESS, pid, nice)
                return {"lowered": pid}
            case {"end": int(pid)}:
                # A process that has ended by itself keeps its own status.
                os.kill(pid, signal.SIGKILL)
                _, status = os.waitpid(pid, 0)
                return {"exit_status": os.waitstatus_to_exitcode(status)}
        raise ValueError("an unknown order")

    def _work_and_end(self, channel: int, limits: Json) -> NoReturn:
        """Work and end the fork, which must never return into the loop of its template."""
        try:
            self._control.close()
            confine_fork(self._confinement, self._pid, None, limits["memory_bytes"])
            connected = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, fileno=channel)
            # With this byte, the kernel tells the other side the id of this process.
            connected.send(b".")
            self._serve_fork(Packets(connected))
            os._exit(0)
        finally:
            os._exit(1)
