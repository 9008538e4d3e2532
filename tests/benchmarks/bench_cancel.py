"""Time how soon a canceled job's slot works for the next job, whatever its page was doing at that moment.

Run from the repository's root: python -m tests.benchmarks.bench_cancel [cancels]. It starts its own product with one
slot, in which every canceled job has another one waiting behind it.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import numpy as np
import psycopg

from tests.benchmarks.circumstances import circumstances
from tests.flows.caller import Caller
from tests.kept_cluster import PROJECT
from tests.live_stack import LiveStack, RunningStack
from tests.samples.counting_model import FOR_EVER, counting_input, save_counting_model
from tests.samples.pdfs import scanned_pdf
from tests.services import without_product
from tests.waiting import eventually

CANCELS = 60
LONGEST_RUN_S = 0.6
GOAL_MS = 500
SEED = 20261122

# The time runs from the moment when the cancel wrote, before its commit, to the next job's claim of the slot, by the
# same clock.
FREED = """
SELECT extract(epoch FROM next.created_at - canceled.finished_at) * 1000
FROM jobs_job canceled, jobs_event next
WHERE canceled.id = %s AND next.job_id = %s AND next.type = 'page.running' AND next.data->>'page' = '1'
"""

Submit = Callable[[], str]


@contextmanager
def product(folder: Path) -> Iterator[RunningStack]:
    with LiveStack(folder / "var", variables={"MAAS_WORKER_THREADS": "1", "MAAS_LOG_LEVEL": "WARNING"}) as stack:
        yield stack.wait_until_ready()


def add_model(running: RunningStack, file: Path, name: str) -> None:
    env = without_product(os.environ) | {"MAAS_HOME": str(running.home)}
    command = [sys.executable, "manage.py", "models", "add", str(file), "--name", name]
    subprocess.run(command, cwd=PROJECT, env=env, check=True, stdout=subprocess.DEVNULL)


def freed_ms(running: RunningStack, caller: Caller, submit: Submit, cancels: int) -> list[float]:
    moments = random.Random(SEED)
    services = json.loads((running.home / "run" / "services.json").read_text())
    with psycopg.connect(services["MAAS_DATABASE_URL"], options="-c role=maas_operator", autocommit=True) as connection:
        chain = [submit()]
        for _ in range(cancels):
            chain.append(submit())
            eventually(lambda: caller.job(chain[-2])["state"] == "running", "the job's turn")
            time.sleep(moments.uniform(0, LONGEST_RUN_S))
            caller.post(f"/v1/jobs/{chain[-2]}/cancel", 200)
            eventually(lambda: caller.job(chain[-1])["state"] == "running", "the next job's turn")
        caller.post(f"/v1/jobs/{chain[-1]}/cancel", 200)
        pairs = pairwise(chain)
        return [float(row[0]) for pair in pairs for row in connection.execute(FREED, pair)]


def measure(cancels: int) -> dict[str, list[float]]:
    with tempfile.TemporaryDirectory(prefix="bench-cancel-") as name, product(Path(name)) as running:
        add_model(running, save_counting_model(Path(name) / "counting.onnx"), "counting")
        with Caller(running.url, running.demo["MAAS_API_KEY"]) as caller:
            scan = scanned_pdf(*(f"Page number {number} of ten" for number in range(1, 11)), dpi=400)
            document = caller.upload(scan)["id"]

            def count() -> str:
                return str(caller.submit("counting", input=counting_input(FOR_EVER))["id"])

            def read() -> str:
                return str(caller.submit("ocr", document=document)["id"])

            return {
                "a graph that loops": freed_ms(running, caller, count, cancels),
                "a scan of ten pages, read and recognized": freed_ms(running, caller, read, cancels),
            }


def main(cancels: int = CANCELS) -> None:
    rows = measure(cancels)
    print(circumstances())
    print(f"{cancels} cancels each, at random moments; goal: 95 % below {GOAL_MS} ms\n")
    print("| job | slot taken by the next: p50 ms | p95 ms | longest ms | below goal |")
    print("|---|--|--|--|--|")
    for name, times in rows.items():
        share = 100 * np.mean(np.array(times) < GOAL_MS)
        figures = f"{np.percentile(times, 50):.0f} | {np.percentile(times, 95):.0f} | {max(times):.0f}"
        print(f"| {name} | {figures} | {share:.0f} % |")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
