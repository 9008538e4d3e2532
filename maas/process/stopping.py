"""Turns the first SIGTERM or SIGINT into an event that long-running commands watch."""

import signal
import threading
from types import FrameType


def stop_event() -> threading.Event:
    stopping = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        stopping.set()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    return stopping
