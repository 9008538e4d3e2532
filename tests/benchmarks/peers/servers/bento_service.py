"""BentoML: its own adaptive batching, one worker."""

import os

import bentoml
from served import MAX_TOGETHER, served_model, written

# How long it may hold requests back is the one dial that its batcher has; see contestants.py for what was tried.
LATENCY_MS = int(os.environ.get("PEER_LATENCY_MS", "60000"))


@bentoml.service(
    workers=1,
    traffic={"timeout": 60},
    logging={"access": {"enabled": False}},
    metrics={"enabled": False},
)
class Peer:
    def __init__(self) -> None:
        self._model = served_model()

    @bentoml.api(batchable=True, max_batch_size=MAX_TOGETHER, max_latency_ms=LATENCY_MS)  # type: ignore[untyped-decorator]
    def predict(self, x: list[str]) -> list[str]:
        answers = self._model.answers([self._model.read(one) for one in x])
        return [written(vector) for vector in answers]
