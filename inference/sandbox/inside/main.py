"""The life of a sandboxed child: start, import, confine, then work in forks (`Template`, `Keeper`)."""

import gc
import importlib
import math
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from .channel import ChannelClosed, Json, receive, receive_with_files, send
from .confinement import Confinement, confine, confine_fork, limit_resources
from .keeper import Keeper
from .kernel import die_with_parent, refuse_threads

Handler = Callable[[Json, Sequence[int]], Json]

_MAX_REQUEST_BYTES = 1 << 20


def answer(channel: socket.socket, handle: Handler) -> None:
    """Receives a request, handles it and replies. Its files stay open, because the process is about to end."""
    request, files = receive_with_files(channel, _MAX_REQUEST_BYTES)
    try:
        reply: Json = {"value": handle(request, files)}
    except Exception as error:
        reply = describe(error)
    send(channel, reply)


def describe(error: Exception) -> Json:
    return {"error": type(error).__name__, "message": str(error)[:500]}


_MAX_ORDER_BYTES = 4096
_LOOK_EVERY_S = 0.05
"""Seconds between two checks of whether a fork is still wanted. The end of a fork is noticed at once."""
_NICE = 10
"""The nice value of a fork that yields. It gets a tenth of the processor time of another busy process."""
END = {"end": True}
"""The order to end the fork that runs."""


class Template:
    """A process that never reads a request itself, so it stays as it was when the program had been imported."""

    def __init__(self, control: socket.socket, handle: Handler, confinement: Confinement) -> None:
        self._control = control
        self._handle = handle
        self._confinement = confinement
        self._pid = os.getpid()

    def serve(self) -> NoReturn:
        """Run each request in a fork that has its own limits and its own socket."""
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        # A garbage collection would write to every object and so copy the pages that forks share with this process.
        gc.freeze()
        while True:
            order, files = receive_with_files(self._control, _MAX_ORDER_BYTES)
            if order == END:
                continue  # The fork that was to be ended had ended by itself.
            (channel,) = files
            deadline = time.monotonic() + order["wall_s"]
            pid = os.fork()
            if pid == 0:
                self._answer_and_end(channel, order)
            os.close(channel)
            send(self._control, self._end_of(pid, deadline, order["yields_after_s"]))

    def _answer_and_end(self, channel: int, limits: Json) -> NoReturn:
        """Answers the request and ends the fork, which must never return into the template's loop."""
        try:
            self._control.close()
            confine_fork(self._confinement, self._pid, limits["cpu_s"], limits["memory_bytes"])
            answer(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=channel), self._handle)
            os._exit(0)
        finally:
            os._exit(1)

    def _end_of(self, pid: int, deadline: float, yields_after_s: float | None) -> Json:
        """Waits for the fork and returns how it ended. It is killed if it is late or no longer wanted."""
        ended, status = os.waitpid(pid, os.WNOHANG)
        is_wanted = True
        yields_at = math.inf if yields_after_s is None else time.monotonic() + yields_after_s
        while not ended and is_wanted and (left_s := deadline - time.monotonic()) > 0:
            signal.sigtimedwait({signal.SIGCHLD}, min(left_s, _LOOK_EVERY_S))
            ended, status = os.waitpid(pid, os.WNOHANG)
            if not ended and time.monotonic() >= yields_at:
                os.setpriority(os.PRIO_PROCESS, pid, _NICE)
                yields_at = math.inf
            is_wanted = not self._has_word()
        if not ended:
            os.kill(pid, signal.SIGKILL)
            _, status = os.waitpid(pid, 0)
        return {"exit_status": os.waitstatus_to_exitcode(status), "timed_out": not ended and is_wanted}

    def _has_word(self) -> bool:
        """Returns whether a message has arrived. The only message sent while a fork runs is the order to end it."""
        try:
            self._control.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return False
        return True


_MAX_BOOT_BYTES = 1 << 20


def main(descriptor: int) -> None:
    die_with_parent(signal.SIGKILL)
    control = socket.socket(fileno=descriptor)
    try:
        boot = receive(control, _MAX_BOOT_BYTES)
        program, confinement = _start(control, boot)
        if boot["keeps_forks"]:
            Keeper(control, program.serve, confinement).serve()
        Template(control, program.handle, confinement).serve()
    except ChannelClosed:
        return


def _start(control: socket.socket, boot: Json) -> tuple[Any, Confinement]:
    try:
        limit_resources(boot["memory_bytes"], boot["file_bytes"], boot["open_files"])
        sys.path.extend(boot["paths"])
        program = importlib.import_module(boot["module"])
        refuse_threads()
        confinement = confine(boot["readable"], in_bubblewrap=boot["in_bubblewrap"], may_write=boot["may_write"])
    except Exception as error:
        send(control, describe(error))
        raise
    send(control, {"layers": confinement.layers, "missing": confinement.missing})
    return program, confinement
