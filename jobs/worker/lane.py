"""The synchronous lane of this worker: requests without a job, run by the same engine as pages."""

from collections.abc import Collection, Mapping
from functools import cache

from django.db import connections

from inference.affinity.fleet import Demand
from inference.affinity.load_times import LoadTimes
from inference.affinity.tally import QueueTally
from inference.contracts import WorkOutput
from inference.errors import ModelFailed
from inference.lane import LaneReader, LaneRequest, lane_demand
from inference.lane.lines import CommandLine
from inference.registry.selectors import versions_named
from inference.runtime.engine import Engine
from inference.runtime.load_watch import watching_loads
from jobs.worker.versions import VersionCatalogue


class WorkerLane:
    """Serves the lanes of the models whose queues this worker takes pages from."""

    def __init__(
        self,
        url: str,
        *,
        engine: Engine,
        versions: VersionCatalogue,
        slots: int,
        tally: QueueTally,
        load_times: LoadTimes,
    ) -> None:
        self._engine = engine
        self._versions = versions
        self._tally = tally
        self._version_id = cache(_version_id)
        self._line = CommandLine(url)
        self._reader = LaneReader(url, self._serve, slots=slots, load_within=load_times.within)

    def start(self) -> None:
        self._reader.start()

    def stop(self, timeout_s: float) -> None:
        self._reader.stop(timeout_s)
        self._line.close()

    def serve(self, model_keys: Collection[str]) -> None:
        self._reader.set_lanes(model_keys)

    def hear_cancel(self, about: Mapping[str, str]) -> None:
        self._reader.cancel(about["request"])

    def demand(self, known: Collection[str]) -> dict[str, Demand]:
        waiting = lane_demand(self._line, sorted(known))
        return {
            key: Demand(told.waiting, told.oldest_wait_s) for key, told in waiting.items() if told.waiting
        }

    def _serve(self, request: LaneRequest) -> WorkOutput:
        """Counted like pages: a model that only calls ask for is not idle."""
        self._tally.begin(request.model_key)
        try:
            return self._run(request)
        finally:
            self._tally.end()

    def _run(self, request: LaneRequest) -> WorkOutput:
        spec = self._versions.get(self._version_id(request.model_key), request.call)
        with watching_loads(lambda: None) as loads:
            try:
                return self._engine.answer(spec, request.work, request.parameters, request.call)
            finally:
                request.call.spent.add(load_s=loads.waited_s)


def _version_id(model_key: str) -> int:
    try:
        version = versions_named(model_key).first()
    finally:
        connections.close_all()
    if version is None:
        raise ModelFailed("model_not_found", f"There is no model version {model_key!r}.")
    return version.id
