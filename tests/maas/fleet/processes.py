"""Fixtures of several web processes and workers of one service, with a model whose answers show the request."""

import os
import subprocess
import sys
import urllib.request
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from inference.cache.terms import CacheTerms
from inference.registry.models import ModelPool, ServedModel
from inference.registry.services import ModelCard, NewVersion, add_version
from maas.local.supervisor.ports import free_port
from tenants.core.db.unit_of_work import operator_work
from tenants.plans.prices import Price
from tests.fixtures import unique
from tests.inference.runtime.graphs import save_patient, save_wide
from tests.kept_cluster import PROJECT
from tests.maas.granian_server import GranianServer

NUMBERS = 8
"""The count of numbers in a row of input. The model answers with their sum."""
WIDTH = 250_000
DRAIN_S = 3
"""Seconds that are longer than a probe of the balancer takes, also on a busy machine."""
PRICE, PRICE_OF_HITS = 1_000, 10
SIGNATURE = {
    "inputs": [{"name": "x", "datatype": "FP32", "shape": [-1, NUMBERS]}],
    "outputs": [{"name": "y", "datatype": "FP32", "shape": [-1, 1]}],
}


class Worker:
    def __init__(self, pool: str, log: Path) -> None:
        self._metrics_port = free_port()
        env = {**os.environ, "MAAS_WORKER_POOLS": pool, "MAAS_METRICS_PORT": str(self._metrics_port)}
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "worker"], cwd=PROJECT, env=env, stdout=output, stderr=output
            )

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(30)

    def rows_run(self, model: str) -> float:
        """Return the number of rows that the model itself has run since this worker started."""
        return sum(
            float(line.rsplit(" ", 1)[1])
            for line in self._metrics()
            if line.startswith("maas_batch_rows_sum{") and f'model="{model}' in line
        )

    def _metrics(self) -> list[str]:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._metrics_port}/metrics", timeout=30) as answer:
                return str(answer.read().decode()).splitlines()
        except OSError:
            return []


class Fleet:
    """Two web processes and two workers, ready inside the block.

    Each worker takes calls of `model`, whose runs are long enough for a kill to interrupt one. One worker takes calls
    of `settled`, whose runs last until all callers have sent their request.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._closing = ExitStack()
        self.workers: list[Worker] = []

    def __enter__(self) -> Self:
        wide = save_wide(self._folder / "wide.onnx", inputs=NUMBERS, width=WIDTH)
        self.model = _model(wide, ModelPool.Strategy.RANDOM)
        self.settled = _model(save_patient(self._folder / "patient.onnx"), ModelPool.Strategy.STICKY)
        try:
            for _ in range(2):
                self.add_worker()
            self.webs = list[GranianServer]()
            for _ in range(2):
                self.add_web()
        except BaseException:
            self._closing.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.close()

    def add_web(self) -> None:
        web = GranianServer("maas.asgi:application", {"MAAS_DRAIN_S": str(DRAIN_S)})
        self.webs.append(self._closing.enter_context(web))

    def add_worker(self) -> Worker:
        worker = Worker(f"{self.model},{self.settled}", self._folder / f"worker-{len(self.workers)}.log")
        self._closing.callback(worker.kill)
        self.workers.append(worker)
        return worker

    def rows_run(self, model: str) -> float:
        return sum(worker.rows_run(model) for worker in self.workers)


def _model(file: Path, strategy: ModelPool.Strategy) -> str:
    """Create a served model in a pool of the same name, and return that name."""
    name = unique("fleet")
    price = Price.from_json({"meter": "call", "amount_micros": PRICE, "per": 1, "currency": "EUR"})
    card = ModelCard(
        name=name,
        title="",
        description="",
        accepts=("tensors",),
        price=price,
        cached=CacheTerms(price_micros=PRICE_OF_HITS),
    )
    version = add_version(card=card, new=NewVersion(runtime="onnx", files={"weights": file}, signature=SIGNATURE))
    with operator_work():
        pool = ModelPool.objects.create(name=name, strategy=strategy)
        ServedModel.objects.filter(id=version.served_model_id).update(pool=pool)
    return name
