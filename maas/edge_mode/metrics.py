"""The metrics of edge mode, named as in the other processes: its engine's batches and loads, and the process itself."""

import threading

from prometheus_client import generate_latest

from inference.engine.engine import Engine, loads_of
from inference.runtime.metrics import LoadMeter


class EdgeMetrics:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._meter = LoadMeter()
        self._lock = threading.Lock()

    def text(self) -> bytes:
        with self._lock:
            self._meter.count(loads_of(self._engine))
        return generate_latest()
