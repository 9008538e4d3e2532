"""Run a worker in a separate process that serves requests without a model. It ends when its standard input does.

python -m tests.inference.rpc.lane_worker URL SLOTS MODEL...
"""

import os
import sys
import time

from inference.core.contracts import TensorInput, TextInput, TokenInput, WorkOutput
from inference.rpc import LaneReader, LaneRequest


def serve(request: LaneRequest) -> WorkOutput:
    """Return the input and the process's id. If the input asks to hold, the request never ends."""
    match request.work:
        case TextInput(texts=("hold",)):
            print("holds", flush=True)
            while True:
                request.call.check()
                time.sleep(0.01)
        case TextInput(texts=texts):
            return WorkOutput({"texts": texts, "worker": os.getpid()})
        case TokenInput(rows=rows):
            return WorkOutput({"rows": rows})
        case TensorInput(tensors=tensors):
            return WorkOutput({name: tensor.tolist() for name, tensor in tensors.items()})


def main() -> None:
    url, slots, *models = sys.argv[1:]
    reader = LaneReader(url, serve, slots=int(slots))
    reader.set_lanes(models)
    reader.start()
    reader.reading.wait()
    print("reading", flush=True)
    sys.stdin.read()
    reader.stop(2.0)


if __name__ == "__main__":
    main()
