"""A process that shares a GPU: `python -m tests.inference.runtime.gpu_sharer FILE COLUMNS SHARE BYTES`.

It loads a model of one input and runs as many rows of ones as each line of its input says. It prints a line of JSON for
each, with what it counts. With 0 BYTES, its budget is that of its share.
"""

import json
import sys

import numpy as np

from inference.core.errors import ModelFailed
from inference.engine.engine import local_engine
from inference.runtime.session_host import SessionHost


def ran(host: SessionHost, path: str, rows: int, columns: int) -> dict[str, float | str]:
    with host.session(path) as session:
        try:
            (answer,) = session.run({"x": np.ones((rows, columns), np.float32)})
        except ModelFailed as error:
            return {"error": str(error)}
    return {"answer": float(answer.mean()), "held_bytes": host.held_bytes, "budget_bytes": host.budget_bytes}


def main(path: str, columns: int, gpu_share: float, memory_bytes: int) -> None:
    host = local_engine(gpu_share=gpu_share, memory_bytes=memory_bytes or None).host
    host.load(path)
    for line in sys.stdin:
        print(json.dumps(ran(host, path, int(line), columns)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]))
