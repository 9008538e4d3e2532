"""Ray Serve: one replica with its own batching decorator."""

import os
import signal
from typing import Any

import ray
from ray import serve
from served import MAX_TOGETHER, PORT, served_model, written
from starlette.requests import Request

WAIT_S = float(os.environ.get("PEER_WAIT_MS", "0")) / 1000


@serve.deployment(num_replicas=1, max_ongoing_requests=256, ray_actor_options={"num_cpus": 1})
class Peer:
    def __init__(self) -> None:
        self._model = served_model()

    @serve.batch(max_batch_size=MAX_TOGETHER, batch_wait_timeout_s=WAIT_S, max_concurrent_batches=1)  # type: ignore[untyped-decorator]
    async def _together(self, given: list[Any]) -> list[str]:
        return [written(vector) for vector in self._model.answers(given)]

    async def __call__(self, request: Request) -> dict[str, str]:
        asked = await request.json()
        return {"y": await self._together(self._model.read(asked["x"]))}


if __name__ == "__main__":
    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=100 << 20, log_to_driver=False)
    serve.start(http_options={"host": "127.0.0.1", "port": PORT})
    serve.run(Peer.bind())  # type: ignore[attr-defined]  # its decorator adds it
    signal.sigwait({signal.SIGTERM, signal.SIGINT})
    serve.shutdown()
    ray.shutdown()
