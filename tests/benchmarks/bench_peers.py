"""Compare synchronous inference with BentoML, LitServe, MLServer, Ray Serve and Triton: same files, cores and client.

Run from the repository's root: python -m tests.benchmarks.bench_peers [--peers Triton,MLServer] [--rows mixed,tiny]
[--rounds 2]. Each peer is installed from the package index into its own folder in ~/.cache/maas-bench-peers
(MAAS_BENCH_CACHE). The product runs whole, with a key, limits and metering; a peer is one server with one model. The
product and a peer take turns, so that other work on the machine affects both, and ratios are medians of neighboring
turns.
"""

import argparse
import os
import statistics
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import numpy as np

from tests.benchmarks.circumstances import circumstances
from tests.benchmarks.peers.callers import Ask, CallFailed, Figures, answers, at_rate, together
from tests.benchmarks.peers.contestants import PEERS, Peer, Started, serving
from tests.benchmarks.peers.loads import LOADS, THREADS, Load, ServedFile, served_files
from tests.benchmarks.peers.ours import OURS, edge_mode, whole_product
from tests.benchmarks.peers.report import Turns, print_report

FAILURES = (Exception,)
"""Errors that are reported while the rest goes on. Peers fail in unforeseen ways."""
ROUNDS = 2
WARM_UP_S = 1.0
HALF_S = 6.0
MIN_COSINE = 0.999
COMPARED = 16


class Numbers:
    """Numbers for every request of the whole benchmark, so that no request is sent twice."""

    def __init__(self) -> None:
        self._next = 1

    def asks(self, started: Started, load: Load, likely_per_s: float, seconds: float) -> Ask:
        """Serialize requests before the clock runs. The client's work beside the server's is then small."""
        first = self._next
        count = int(likely_per_s * seconds * 1.5) + 4 * load.callers
        self._next += 10 * count + 100_000
        ready = [started.request(load.given(first + number)) for number in range(count)]

        def ask(number: int) -> bytes:
            if number < count:
                return ready[number]
            return started.request(load.given(first + number))

        return ask


class Bench:
    def __init__(self, files: Mapping[str, ServedFile], rounds: int, folder: Path) -> None:
        self._files = files
        self._rounds = rounds
        self._folder = folder
        self._numbers = Numbers()
        self.results: dict[tuple[str, str], Turns] = {}
        self.missing: dict[str, str] = {}

    def play(self, ours: Mapping[str, Started], peer: Peer, loads: Sequence[Load]) -> None:
        """Compare one peer with the product. The peer's server is started once for each model."""
        for (name, most), alike in groupby(loads, key=lambda load: (load.file, load.together)):
            file, of_server = self._files[name], list(alike)
            folder = self._folder / peer.name / f"{name}-{most}"
            try:
                with serving(peer, file, folder, of_server[0].given(0), together=most) as started:
                    self._check(started, of_server[0], file)
                    for load in of_server:
                        with self._noted(f"{peer.name}, {load.title}"):
                            self._take_turns(ours[load.file], started, load)
            except FAILURES as error:
                self._note(f"{peer.name}, {'; '.join(load.title for load in of_server)}", error)

    @contextmanager
    def _noted(self, what: str) -> Iterator[None]:
        """Report what fails here, and let the rest go on."""
        try:
            yield
        except FAILURES as error:
            self._note(what, error)

    def _note(self, what: str, error: BaseException) -> None:
        _say(f"{what}: {error}")
        lines = str(error).strip().splitlines() or [type(error).__name__]
        self.missing[what] = lines[-1][:200]

    def play_half(self, ours: Started, load: Load) -> None:
        """Measure the product alone, at half of the rate that it reached."""
        turns = self.results.get((load.name, OURS))
        if turns is None or not turns.busy:
            return
        rate = statistics.median(figures.per_s for figures in turns.busy) / 2
        for _ in range(self._rounds):
            with self._noted(f"ours at half of its rate, {load.title}"):
                turns.half.append(self._paced(ours, load, rate))

    def play_edge(self, ours: Started, load: Load) -> None:
        folder = self._folder / "edge-mode"
        folder.mkdir()
        with (
            self._noted(f"ours, edge mode, {load.title}"),
            edge_mode(self._files[load.file], folder, load.given(0)) as started,
        ):
            self._check(started, load, self._files[load.file])
            self._take_turns(ours, started, load)

    def check_ours(self, ours: Mapping[str, Started], loads: Sequence[Load]) -> list[Load]:
        """Return the loads to which the product responds correctly."""
        right = []
        for load in loads:
            with self._noted(f"ours, {load.title}"):
                self._check(ours[load.file], load, self._files[load.file])
                right.append(load)
        return right

    def _check(self, started: Started, load: Load, file: ServedFile) -> None:
        """Check that all responses agree with what the file itself returns for each input alone."""
        given = [load.given(-1 - number) for number in range(COMPARED)]
        requests = [started.request(one) for one in given]
        # Edge mode accepts a dozen calls at once, and refuses more.
        crowds = [requests] if load.callers > 1 else [[request] for request in requests]
        bodies = [body for crowd in crowds for body in answers(started.port, crowd)]
        for one, body in zip(given, bodies, strict=True):
            vector, expected = started.wire.vector(body), file.expected(one)
            cosine = float(vector @ expected / np.linalg.norm(vector) / np.linalg.norm(expected))
            if not cosine >= MIN_COSINE:
                raise CallFailed(f"{started.name} answers otherwise: cosine {cosine:.4f} for {load.name}")

    def _take_turns(self, ours: Started, other: Started, load: Load) -> None:
        likely = {one.name: self._closed(one, load, 500.0, WARM_UP_S).per_s for one in (ours, other)}
        own_turns = self.results.setdefault((load.name, OURS), Turns())
        turns = self.results.setdefault((load.name, other.name), Turns())
        for _ in range(self._rounds):
            neighbor = self._closed(ours, load, likely[ours.name], load.seconds)
            own_turns.busy.append(neighbor)
            turns.neighbors.append(neighbor)
            turns.busy.append(self._closed(other, load, likely[other.name], load.seconds))
            if load.half:
                rate = turns.busy[-1].per_s / 2
                turns.paced.append((self._paced(ours, load, rate), self._paced(other, load, rate)))
        _say(f"{load.name}: {other.name} {_rates(turns.busy)}, ours beside it {_rates(turns.neighbors)}")

    def _paced(self, started: Started, load: Load, per_s: float) -> Figures:
        return at_rate(started.port, self._numbers.asks(started, load, per_s, HALF_S + 1), per_s, HALF_S)

    def _closed(self, started: Started, load: Load, likely_per_s: float, seconds: float) -> Figures:
        ask = self._numbers.asks(started, load, likely_per_s, seconds + 1)
        return together(started.port, ask, load.callers, seconds)


def _rates(figures: Iterable[Figures]) -> str:
    return ", ".join(f"{one.per_s:.0f}/s ({one.p50_ms:.1f} ms)" for one in figures)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", default=",".join(PEERS), help=f"of {', '.join(PEERS)}")
    parser.add_argument("--rows", default=",".join(LOADS), help=f"of {', '.join(LOADS)}")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--seconds", type=float, help="of each turn, in place of each row's own")
    return parser.parse_args()


def main() -> None:
    options = _options()
    # All started processes inherit the affinity. All servers have the same two cores, and so has the client.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:THREADS])
    peers = [PEERS[name] for name in options.peers.split(",") if name]
    loads = [load for name, load in LOADS.items() if name in options.rows.split(",")]
    if options.seconds is not None:
        loads = [replace(load, seconds=options.seconds) for load in loads]
    begun = circumstances()
    with tempfile.TemporaryDirectory(prefix="bench-peers-") as written:
        folder = Path(written)
        files = served_files(folder)
        bench = Bench(files, options.rounds, folder)
        with whole_product(files, folder) as ours:
            loads = bench.check_ours(ours, loads)
            for peer in peers:
                bench.play(ours, peer, loads)
            for load in loads:
                if load.half:
                    bench.play_half(ours[load.file], load)
            for load in loads:
                if load.name == "one":
                    bench.play_edge(ours[load.file], load)
    print(f"{begun} at the start\n{circumstances()} at the end\n")
    print_report(bench.results, loads, [peer.name for peer in peers], bench.missing)


if __name__ == "__main__":
    main()
