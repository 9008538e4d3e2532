"""The synchronous RPC of this worker: requests without a job, run by the same engine as pages."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import structlog
from django.db import connections

from inference.batching.batch_run import Ended
from inference.core.contracts import VersionSpec, WorkOutput
from inference.core.errors import ModelFailed
from inference.engine.engine import Engine
from inference.registry.selectors import version_of_key
from inference.rpc import LaneReader, LaneRequest, LaneUnavailable, lane_demand
from inference.rpc.lines import CommandLine
from inference.runtime.batched import Begins, Begun
from inference.runtime.load_watch import watching_loads
from inference.runtime.made_once import OncePerKey
from inference.workers.placement.fleet import Demand
from inference.workers.placement.loader import LoadTimes
from inference.workers.placement.page_counts import QueueTally
from jobs.core.errors import FileMissing, StorageUnavailable
from jobs.worker.versions import VersionCatalog, is_on_disk
from tenants.core.db.failures import PASSING, trouble_of

MAX_SPECS = 1024
PLACE_AWAY = "the storage or database did not answer; send the request again"

log = structlog.get_logger(__name__)


class RpcServer:
    """Serves the RPC queues of the models whose pages this worker takes."""

    def __init__(
        self,
        url: str,
        *,
        engine: Engine,
        versions: VersionCatalog,
        slots: int,
        tally: QueueTally,
        load_times: LoadTimes,
        sockets: Path,
    ) -> None:
        self._engine = engine
        self._versions = versions
        self._tally = tally
        self._specs: OncePerKey[VersionSpec] = OncePerKey(capacity=MAX_SPECS)
        self._line = CommandLine(url)
        self._reader = LaneReader(
            url, self._serve, slots=slots, begins=self, load_within=load_times.within, sockets=sockets
        )

    def start(self) -> None:
        self._reader.start()

    def stop(self, timeout_s: float) -> None:
        self._reader.stop(timeout_s)
        self._line.close()

    def serve(self, model_keys: Collection[str]) -> None:
        self._reader.set_lanes(model_keys)

    def hear_cancel(self, about: Mapping[str, str]) -> None:
        self._reader.cancel(about["request"])

    def demand(self, model_keys: Collection[str]) -> dict[str, Demand]:
        waiting = lane_demand(self._line, sorted(model_keys))
        return {key: Demand(demand.waiting, demand.oldest_wait_s) for key, demand in waiting.items() if demand.waiting}

    def begin(self, model_key: str, requests: Sequence[LaneRequest], ended: Ended) -> Begins:
        """Begin requests. The result is None for those that have to wait: for a file, the database or a thread."""
        spec = self._specs.peek(model_key)
        if spec is None:
            return [None] * len(requests)
        begun = self._engine.begin(spec, requests, ended)
        self._tally.begun(model_key, sum(isinstance(one, Begun) for one in begun))
        return begun

    def answered(self, began_s: Sequence[tuple[str, float]]) -> None:
        """Count requests like pages, so that a model that is used only by calls is not considered idle."""
        self._tally.ended(began_s)

    def together(self, model_key: str) -> int:
        spec = self._specs.peek(model_key)
        return 1 if spec is None else self._engine.rows_together(spec)

    def _serve(self, request: LaneRequest) -> WorkOutput:
        """Run a request. It is counted like a page: a model that is used only by calls is not idle."""
        self._tally.begin(request.model_key)
        try:
            return self._run(request)
        finally:
            self._tally.end()

    def _run(self, request: LaneRequest) -> WorkOutput:
        spec = self._specs.get(request.model_key, lambda: self._spec(request), request.call)
        if not is_on_disk(spec):
            self._spec(request)
        with watching_loads(lambda: None) as loads:
            try:
                return self._engine.answer(spec, request.work, request.parameters, request.call)
            finally:
                request.call.spent.add(load_s=loads.waited_s)

    def _spec(self, request: LaneRequest) -> VersionSpec:
        try:
            return self._versions.get(_version_id(request.model_key), request.call)
        except (*PASSING, StorageUnavailable) as error:
            if isinstance(error, FileMissing) or not (isinstance(error, StorageUnavailable) or trouble_of(error)):
                raise
            log.warning("rpc_model_not_read", model=request.model_key, error=str(error))
            raise LaneUnavailable(PLACE_AWAY) from error


def _version_id(model_key: str) -> int:
    try:
        version = version_of_key(model_key)
    finally:
        connections.close_all()
    if version is None:
        raise ModelFailed("model_not_found", f"There is no model version {model_key!r}.")
    return version.id
