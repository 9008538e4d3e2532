"""Runs a variant beside its source on the held-out inputs, and compares their answers."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from inference.core.calls import Call
from inference.core.errors import ModelFailed
from inference.factory.golden import GoldenSet
from inference.factory.measures.checks import Fault, repeat_faults, structure_faults, value_faults
from inference.factory.measures.measured import Measured, measure
from inference.factory.measures.pairs import Answers, Kind, Pair
from inference.factory.samples import Sample, SampleInvalid
from inference.factory.sessions import Session, run_for
from inference.runtime.session import InvalidFeed

COMPARE_S = 30.0
"""Seconds for the runs of both files on the held-out inputs."""
MIN_ROWS = 64
"""The number of rows that are compared even if they take longer."""
USUAL_ROWS = 8
MAX_ANSWER_BYTES = 200_000_000
"""The most bytes of answers that are compared. They are in memory together."""
RUN_ERRORS = (ModelFailed, InvalidFeed)

ReadTexts = Callable[[Answers], Sequence[str]]
"""A function that reads texts from the answers of a run, such as the lines of a recognizer of characters."""
Progress = Callable[[float, str], object]
"""A function that is given the finished share, from 0 to 1, and a text about the current step."""


@dataclass(slots=True)
class Comparison:
    """The comparison of two open files. `run` may be called once."""

    source: Session
    variant: Session
    golden: GoldenSet
    kind: Kind | None
    progress: Progress
    call: Call
    budget_s: float = COMPARE_S
    read_texts: ReadTexts | None = None
    used: list[Sample] = field(default_factory=list)
    """The samples on which both files ran."""
    complete: bool = False
    """Set once both files ran on all samples for which there was time."""
    _pairs: list[Pair] = field(default_factory=list)

    def run(self) -> Measured:
        """Return the measures, or the faults that end the comparison early. Raise SampleInvalid if nothing ran."""
        fault = next(signature_faults(self.source, self.variant), None) or self._collect()
        if fault is not None:
            return Measured(self.kind or Kind.TENSOR, self._rows, (fault,))
        if not self._pairs:
            raise SampleInvalid("the source model runs on no sample of the golden set; give other samples")
        self.complete = True
        repeated = self._repeated()
        measured = self._measured()
        return replace(measured, faults=(*repeated, *measured.faults))

    @property
    def _rows(self) -> int:
        return sum(pair.rows for pair in self._pairs)

    def _collect(self) -> Fault | None:
        """Run both files on the samples for which there is time. Return the fault if the variant fails on one."""
        started_s, answer_bytes = time.perf_counter(), 0
        for number, sample in enumerate(self.golden.held_out):
            rows, used_s = self._rows, time.perf_counter() - started_s
            too_long = rows >= MIN_ROWS and used_s * (1 + sample.rows / rows) > self.budget_s
            if too_long or answer_bytes * (1 + sample.rows / max(1, rows)) > MAX_ANSWER_BYTES:
                continue
            self.progress(number / len(self.golden.held_out), f"comparing on {sample.name}")
            reference = self._reference(sample)
            if reference is None:
                continue
            try:
                answers = run_for(self.call, self.variant, sample.feeds)
            except RUN_ERRORS as error:
                return Fault("does_not_run", f"it fails where the source runs: {error}", sample=sample.name)
            self.used.append(sample)
            self._pairs.append(Pair(sample.name, sample.group, sample.rows, reference, answers))
            answer_bytes += sum(answer.nbytes for answer in reference.values())
        return None

    def _reference(self, sample: Sample) -> Answers | None:
        """Return the source's answers, or None if it does not take a generated input."""
        try:
            return run_for(self.call, self.source, sample.feeds)
        except RUN_ERRORS as error:
            if self.golden.generated:
                return None
            raise SampleInvalid(f"the source model does not run on {sample.name}: {error}") from error

    def _repeated(self) -> tuple[Fault, ...]:
        """Run both files a second time on a sample with several rows, or on the last."""
        pair, sample = next(
            (both for both in zip(self._pairs, self.used, strict=True) if both[1].rows >= USUAL_ROWS),
            (self._pairs[-1], self.used[-1]),
        )
        again = [run_for(self.call, session, sample.feeds) for session in (self.source, self.variant)]
        return repeat_faults((pair.reference, again[0]), (pair.variant, again[1]), sample.name)

    def _measured(self) -> Measured:
        if self.read_texts is None:
            return measure(self._pairs, self.kind, generated=self.golden.generated)
        faults = structure_faults(self._pairs) or value_faults(self._pairs)
        if faults:
            return Measured(Kind.TEXT, self._rows, faults)
        texts = [
            replace(
                pair, reference=_texts(self.read_texts, pair.reference), variant=_texts(self.read_texts, pair.variant)
            )
            for pair in self._pairs
        ]
        return measure(texts, Kind.TEXT, generated=self.golden.generated)


def signature_faults(source: Session, variant: Session) -> Iterator[Fault]:
    """Yield what differs in the declared inputs and outputs. Callers do not choose the file and must not notice it."""
    for side in ("inputs", "outputs"):
        expected = [(node.name, node.type) for node in getattr(source, side)]
        given = [(node.name, node.type) for node in getattr(variant, side)]
        if expected != given:
            yield Fault("signature_differs", f"its {side} are {_named(given)}, and the source's are {_named(expected)}")


def _named(nodes: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{name} ({kind})" for name, kind in nodes) or "none"


def _texts(read: ReadTexts, answers: Answers) -> Answers:
    return {"text": np.array([*read(answers)], dtype=object)}
