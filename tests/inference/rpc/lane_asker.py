"""Run a client in a separate process that counts the answers to its own requests.

python -m tests.inference.rpc.lane_asker URL MODEL NAME
"""

import sys
import threading
import time

from inference.core.calls import Call
from inference.core.contracts import TextInput
from inference.rpc import LaneClient

CALLERS, CALLS = 8, 25


def main() -> None:
    url, model_key, name = sys.argv[1:]
    client = LaneClient(url)
    right: list[str] = []

    def ask(caller: int) -> None:
        for number in range(CALLS):
            asked = f"{name} {caller} {number}"
            call = Call(tenant=name, deadline_s=time.monotonic() + 30)
            answer = client.call(model_key, TextInput((asked,), True), {}, call)
            if answer.output.result["texts"] == [asked]:
                right.append(asked)

    print("reading", flush=True)
    threads = [threading.Thread(target=ask, args=[caller]) for caller in range(CALLERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"right: {len(right)}", flush=True)
    client.close()


if __name__ == "__main__":
    main()
