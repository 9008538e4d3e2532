"""LitServe: one worker process behind its queue, with dynamic batching."""

import os
from typing import Any

import litserve
from served import MAX_TOGETHER, PORT, served_model, written

# With 0 its worker polls without a pause: one caller waits 1.3 ms in place of 2.9, and 64 lose nothing.
WAIT_S = float(os.environ.get("PEER_WAIT_MS", "0")) / 1000


class Peer(litserve.LitAPI):  # type: ignore[misc]  # not installed where types are checked
    def setup(self, device: str) -> None:
        self._model = served_model()

    def decode_request(self, request: dict[str, str]) -> Any:
        return self._model.read(request["x"])

    def batch(self, inputs: list[Any]) -> list[Any]:
        return list(inputs)

    def predict(self, x: Any) -> Any:
        # With batches of one it makes none, and gives the request as it is.
        return self._model.answers(x) if MAX_TOGETHER > 1 else self._model.answers([x])[0]

    def unbatch(self, output: Any) -> Any:
        return output

    def encode_response(self, output: Any) -> dict[str, str]:
        return {"y": written(output)}


if __name__ == "__main__":
    server = litserve.LitServer(
        Peer(max_batch_size=MAX_TOGETHER, batch_timeout=WAIT_S),
        accelerator="cpu",
        workers_per_device=1,
        fast_queue=os.environ.get("PEER_FAST_QUEUE", "1") == "1",
    )
    server.run(port=PORT, host="127.0.0.1", log_level="warning", access_log=False, generate_client_file=False)
