"""The models in this worker's memory: the models it holds, loads and evicts."""

import threading
from collections.abc import Callable, Iterable

from inference.core.contracts import VersionSpec
from inference.core.errors import ModelFailed
from inference.engine.engine import Engine, ResidentModel
from inference.runtime.session_host import ResidentSession
from inference.workers.placement.fleet import Model

LEAVES_WITHIN_S = 30.0
LOOK_EVERY_S = 0.02


class Shelf:
    def __init__(self, engine: Engine, find_spec: Callable[[int], VersionSpec]) -> None:
        self._engine = engine
        self._find_spec = find_spec
        self._stopping = threading.Event()

    @property
    def budget_bytes(self) -> int:
        return self._engine.host.budget_bytes

    def on_change(self, tell: Callable[[], None]) -> None:
        """Call `tell` when a session was loaded or evicted, for any reason."""
        self._engine.host.on_change(lambda _change: tell())

    def resident(self) -> tuple[ResidentModel, ...]:
        return self._engine.resident()

    def sessions(self) -> tuple[ResidentSession, ...]:
        return self._engine.host.resident()

    def bring(self, model: Model, *, leave: Iterable[Model], keep: Callable[[], Iterable[Model]]) -> None:
        """Load a model after those that must leave are out of use, so that no page waits for memory."""
        spec = self._find_spec(model.version_id)
        going = self._paths(leave)
        if going:
            self._evict(going - self._paths(keep()) - self._engine.session_paths(spec), model.key)
        self._engine.load(spec)

    def stop(self) -> None:
        self._stopping.set()

    def _evict(self, paths: frozenset[str], for_key: str) -> None:
        looks = round(LEAVES_WITHIN_S / LOOK_EVERY_S)
        for _ in range(looks):
            for path in paths:
                self._engine.host.evict(path)
            if paths.isdisjoint(session.path for session in self._engine.host.resident()):
                return
            if self._stopping.wait(LOOK_EVERY_S):
                break
        raise ModelFailed("model_memory_busy", f"what has to leave for {for_key} is still in use", retryable=True)

    def _paths(self, models: Iterable[Model]) -> frozenset[str]:
        return frozenset().union(*(self._engine.session_paths(self._find_spec(model.version_id)) for model in models))
