"""Compare ways to embed texts of mixed length for 64 callers at once: one by one, padded batches of 8, the engine.

Run from the repository's root: python -m tests.benchmarks.bench_embeddings
"""

import queue
import random
import statistics
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from inference.core.calls import Call
from inference.core.contracts import TextInput
from inference.engine.engine import Engine, local_engine
from inference.runtime.embed import tokenize
from inference.runtime.native import read_tokenizer
from inference.runtime.precision import artifact
from tests.benchmarks.circumstances import circumstances
from tests.inference.registry.builtin.served import builtin_specs

CALLERS = 64
TEXTS = 384
ROUNDS = 3
BATCH = 8
MUST_GAIN = 1.6
VOCABULARY = """
invoice total amount due date customer contract payment between parties quarterly revenue increased
compared with the previous year section agreement delivery order number services provided during period
"""
WORDS = VOCABULARY.split()

Embed = Callable[[str], Any]


def texts() -> list[str]:
    """Return texts of 5 to 120 words, with every length equally likely."""
    chance = random.Random(5)
    return [" ".join(chance.choices(WORDS, k=chance.randint(5, 120))) for _ in range(TEXTS)]


class OneByOne:
    """A plain loop: each text at its own length, one run at a time."""

    def __init__(self, engine: Engine) -> None:
        spec = builtin_specs()["embed"]
        self._tokenizer = read_tokenizer(artifact(spec, "tokenizer"))
        self._engine, self._path = engine, artifact(spec, "weights")
        self._turn = threading.Lock()

    def __call__(self, text: str) -> Any:
        ids = tokenize(self._tokenizer, text, max_windows=1).windows[0].ids
        feeds = {"input_ids": np.array([ids]), "attention_mask": np.ones((1, len(ids)), np.int64)}
        with self._turn, self._engine.host.session(self._path) as session:
            return session.run(feeds)[0][0]


class PaddedBatches:
    """A batching server that ignores length: the next eight texts, padded to the longest."""

    def __init__(self, engine: Engine) -> None:
        spec = builtin_specs()["embed"]
        self._tokenizer = read_tokenizer(artifact(spec, "tokenizer"))
        self._engine, self._path = engine, artifact(spec, "weights")
        self._waiting: queue.Queue[tuple[Sequence[int], Future[Any]]] = queue.Queue()
        threading.Thread(target=self._serve, daemon=True).start()

    def __call__(self, text: str) -> Any:
        ids = tokenize(self._tokenizer, text, max_windows=1).windows[0].ids
        answer: Future[Any] = Future()
        self._waiting.put((ids, answer))
        return answer.result()

    def _serve(self) -> None:
        while True:
            batch = [self._waiting.get()]
            while len(batch) < BATCH and not self._waiting.empty():
                batch.append(self._waiting.get())
            ids = np.zeros((len(batch), max(len(one) for one, _ in batch)), np.int64)
            mask = np.zeros_like(ids)
            for row, (one, _) in enumerate(batch):
                ids[row, : len(one)], mask[row, : len(one)] = one, 1
            with self._engine.host.session(self._path) as session:
                vectors = session.run({"input_ids": ids, "attention_mask": mask})[0]
            for (_, answer), vector in zip(batch, vectors, strict=True):
                answer.set_result(vector)


def engines_way(engine: Engine) -> Embed:
    spec = builtin_specs()["embed"]
    return lambda text: engine.run(spec, TextInput((text,), single=True), {}, Call(tenant="bench"))


def per_second(embed: Embed, given: Sequence[str]) -> tuple[float, float]:
    """Return the texts per second, and the median wait in milliseconds."""

    def timed(text: str) -> float:
        started = time.perf_counter()
        embed(text)
        return 1000 * (time.perf_counter() - started)

    with ThreadPoolExecutor(CALLERS) as pool:
        started = time.perf_counter()
        waits_ms = list(pool.map(timed, given))
        return len(given) / (time.perf_counter() - started), statistics.median(waits_ms)


def main() -> None:
    engine = local_engine()
    engine.load(builtin_specs()["embed"])
    ways: dict[str, Embed] = {
        "one by one": OneByOne(engine),
        f"padded batches of {BATCH}": PaddedBatches(engine),
        "engine": engines_way(engine),
    }
    given = texts()
    for embed in ways.values():
        per_second(embed, given[:CALLERS])
    rounds: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, embed in ways.items():
            rounds[name].append(per_second(embed, given))
    medians = {
        name: (statistics.median(rate for rate, _ in taken), statistics.median(wait for _, wait in taken))
        for name, taken in rounds.items()
    }
    print(circumstances())
    print(f"{CALLERS} callers, {TEXTS} texts of 5 to 120 words, median of {ROUNDS} rounds\n")
    print("| way | texts/s | p50 ms | against padded | against one by one |")
    print("|---|--|--|--|--|")
    padded, alone = medians[f"padded batches of {BATCH}"][0], medians["one by one"][0]
    for name, (rate, wait) in medians.items():
        print(f"| {name} | {rate:.0f} | {wait:.0f} | x{rate / padded:.2f} | x{rate / alone:.2f} |")
    gain, against_alone = medians["engine"][0] / padded, medians["engine"][0] / alone
    print(
        f"\nmust be x{MUST_GAIN} against padded: {'held' if gain >= MUST_GAIN else 'MISSED'} (x{gain:.2f});",
        end=" ",
    )
    print(
        f"never below one by one: {'held' if against_alone >= 1 else 'MISSED'} (x{against_alone:.2f})",
    )


if __name__ == "__main__":
    main()
