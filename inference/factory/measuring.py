"""Measures a variant against its source and judges it: the one gate before a variant may be used."""

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from inference.core.calls import Call
from inference.core.errors import ModelFailed
from inference.factory.bounds import bounds_for, check_bounds
from inference.factory.comparing import COMPARE_S, RUN_ERRORS, Comparison, Progress, ReadTexts
from inference.factory.gate import verdict
from inference.factory.generated_inputs import MAX_ROWS, generate
from inference.factory.golden import GoldenSet
from inference.factory.input_hints import find_hints
from inference.factory.measures.checks import Fault
from inference.factory.measures.measured import Measured
from inference.factory.measures.pairs import Kind
from inference.factory.performance import BUDGET_S, load_of, measure_performance
from inference.factory.report import GoldenFacts, Performance, VariantReport
from inference.factory.samples import Feeds, Sample, rows_are_free
from inference.factory.sessions import OpenSession, UsedBytes, opened, run_for, used_here
from inference.runtime.machine import processor, this_machine
from inference.runtime.native import onnx_runtime
from inference.runtime.tensors import NodeArg


@dataclass(frozen=True, slots=True)
class Conditions:
    """The conditions of a measurement that have defaults."""

    used_bytes: UsedBytes = used_here
    device: str = ""
    """The class of the device. The default is the processor and the threads of this machine."""
    compare_s: float = COMPARE_S
    performance_s: float = BUDGET_S
    """Seconds for the performance, or 0 to leave it out."""
    read_texts: ReadTexts | None = None
    """Set for models whose answers are read as texts. The kind is then `text`."""


USUAL = Conditions()


def generated_golden(
    source: Path, *, open_session: OpenSession, seed: int, call: Call, max_rows: int = MAX_ROWS
) -> GoldenSet:
    """Generate a golden set for a model without samples. Raise SampleInvalid if the model accepts none of it."""
    with opened(source, open_session) as session:

        def accepts(feeds: Feeds) -> bool:
            try:
                run_for(call, session, feeds)
            except RUN_ERRORS:
                return False
            return True

        return generate(session.inputs, find_hints(source), seed=seed, max_rows=max_rows, accepts=accepts)


def measure_variant(
    source: Path,
    variant: Path,
    golden: GoldenSet,
    bounds: Mapping[str, object],
    kind: Kind | None = None,
    *,
    open_session: OpenSession,
    progress: Progress,
    call: Call,
    conditions: Conditions = USUAL,
) -> VariantReport:
    """Compare the variant with its source, measure both and judge. The kind is found from the answers if it is None.

    `bounds` are the owner's, the others have defaults. Raise BoundInvalid for bounds that do not fit the kind, and
    SampleInvalid for samples that the source refuses.
    """
    kind = Kind.TEXT if conditions.read_texts else kind
    check_bounds(bounds)
    measured, used, inputs = _compared(
        source,
        variant,
        golden,
        kind,
        open_session=open_session,
        progress=progress,
        call=call,
        conditions=conditions,
    )
    resolved = bounds_for(measured.kind, bounds if used else {})
    figures: tuple[Performance, Performance] | None = None
    if used and conditions.performance_s:
        figures = measure_performance(
            source,
            variant,
            load_of(used, rows_are_free(inputs)),
            open_session=open_session,
            used_bytes=conditions.used_bytes,
            budget_s=conditions.performance_s,
            progress=lambda share, text: progress(0.5 + share / 2, text),
            call=call,
        )
    return VariantReport(
        source_sha256=sha256_of(source),
        variant_sha256=sha256_of(variant),
        measured=measured,
        bounds=resolved,
        verdict=verdict(measured, resolved),
        golden=_facts(golden),
        device=conditions.device or f"{processor()}, {this_machine().threads} threads",
        onnx_runtime=str(onnx_runtime().__version__),
        measured_at=datetime.now(UTC).isoformat(timespec="seconds"),
        source=figures[0] if figures else None,
        variant=figures[1] if figures else None,
    )


def _compared(
    source: Path,
    variant: Path,
    golden: GoldenSet,
    kind: Kind | None,
    *,
    open_session: OpenSession,
    progress: Progress,
    call: Call,
    conditions: Conditions,
) -> tuple[Measured, Sequence[Sample], Sequence[NodeArg]]:
    """Return the measures, the samples if both files ran on all of them, and the inputs of the source."""
    with ExitStack() as stack:
        ours = stack.enter_context(opened(source, open_session))
        try:
            theirs = stack.enter_context(opened(variant, open_session))
        except ModelFailed as error:
            return Measured(kind or Kind.TENSOR, 0, (Fault("does_not_load", error.detail),)), (), ours.inputs
        comparison = Comparison(
            ours,
            theirs,
            golden,
            kind,
            lambda share, text: progress(share / 2, text),
            call,
            conditions.compare_s,
            conditions.read_texts,
        )
        measured = comparison.run()
        return measured, comparison.used if comparison.complete else (), ours.inputs


def sha256_of(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _facts(golden: GoldenSet) -> GoldenFacts:
    return GoldenFacts(
        golden.digest,
        golden.generated,
        golden.seed,
        sum(sample.rows for sample in golden.calibration),
        golden.held_out_rows,
    )
