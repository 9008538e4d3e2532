"""The life of a sandboxed child: start, import, confine, then serve requests until the parent closes the connection."""

import importlib
import signal
import socket
import sys

from .channel import ChannelClosed, Json, receive, send
from .confinement import Confinement, confine, limit_resources
from .kernel import die_with_parent, refuse_threads
from .request import Handler, describe
from .template import Template

_MAX_BOOT_BYTES = 1 << 20


def main(descriptor: int) -> None:
    die_with_parent(signal.SIGKILL)
    control = socket.socket(fileno=descriptor)
    try:
        boot = receive(control, _MAX_BOOT_BYTES)
        handle, confinement = _start(control, boot)
        Template(control, handle, confinement).serve()
    except ChannelClosed:
        return


def _start(control: socket.socket, boot: Json) -> tuple[Handler, Confinement]:
    try:
        limit_resources(boot["memory_bytes"], boot["file_bytes"], boot["open_files"])
        sys.path.extend(boot["paths"])
        handle: Handler = importlib.import_module(boot["module"]).handle
        refuse_threads()
        confinement = confine(boot["readable"], in_bubblewrap=boot["in_bubblewrap"])
    except Exception as error:
        send(control, describe(error))
        raise
    send(control, {"layers": confinement.layers, "missing": confinement.missing})
    return handle, confinement
