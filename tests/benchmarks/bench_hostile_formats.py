"""Measure how many hostile documents get their exact answer, while nothing is fetched and the reading process goes on.

Run from the repository's root: python -m tests.benchmarks.bench_hostile_formats. The suite runs a part of the same.
"""

import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from jobs.documents.reader import DocumentReader, DocumentRejected, PageContent
from jobs.documents.reader.opening.limits import DocumentLimits
from tests.benchmarks.circumstances import circumstances
from tests.samples.hostile_answers import answer_to, fault_of, fault_of_text, listener
from tests.samples.hostile_damage import damaged_documents
from tests.samples.hostile_office import BOMB_MIB, HOSTILE_OFFICE
from tests.samples.hostile_remote import remote_documents

Answer = DocumentRejected | list[PageContent]
Case = tuple[Callable[[], bytes], Callable[[Answer], str]]


@dataclass
class Score:
    cases: int = 0
    faults: list[str] = field(default_factory=list)
    slowest_s: float = 0.0
    slowest: str = ""

    def note(self, name: str, took_s: float, fault: str) -> None:
        self.cases += 1
        if fault:
            self.faults.append(f"{name}: {fault}")
        if took_s > self.slowest_s:
            self.slowest_s, self.slowest = took_s, name


def cases(url: str) -> dict[str, Case]:
    graded = {**HOSTILE_OFFICE, **damaged_documents()}
    return {
        **{name: (make, partial(fault_of, answers=answers)) for name, (make, answers) in graded.items()},
        **{name: (make, fault_of_text) for name, make in remote_documents(url).items()},
    }


def main() -> None:
    print(circumstances())
    limits = DocumentLimits(max_unpacked_bytes=(BOMB_MIB // 2) << 20, max_inspect_wall_s=60, max_wall_s=60)
    score, process = Score(), psutil.Process()
    before = (os.getpid(), process.create_time(), process.memory_info().rss)
    reader = DocumentReader(limits, children=1)
    with tempfile.TemporaryDirectory() as folder, listener() as (url, callers):
        path = Path(folder) / "file"
        for name, (make, fault) in cases(url).items():
            path.write_bytes(make())
            began = time.monotonic()
            answer = answer_to(reader, path)
            score.note(name, time.monotonic() - began, fault(answer))
    reader.close()
    grown = (process.memory_info().rss - before[2]) >> 20
    print(f"exact answers: {score.cases - len(score.faults)} of {score.cases}; fetched: {len(callers)}")
    print(f"same process: {(os.getpid(), process.create_time()) == before[:2]}; grown by {grown} MiB")
    print(f"slowest: {score.slowest_s:.1f} s ({score.slowest})")
    for line in score.faults:
        print(" ", line)


if __name__ == "__main__":
    main()
