"""The gate: a variant is admitted only if it has no fault and every measure is within its bound."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from inference.factory.bounds import MEASURES
from inference.factory.measures.checks import Fault
from inference.factory.measures.measured import Measured
from inference.factory.measures.pairs import Measure


@dataclass(frozen=True, slots=True)
class Reason:
    """The reason for a refusal."""

    code: str
    """The name of the measure, or the code of the fault."""
    detail: str
    """The sentence for people. It says the value and the bound, and the output and sample if there is one."""
    value: float | None = None
    bound: float | None = None
    output: str = ""
    sample: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    admitted: bool
    reasons: tuple[Reason, ...] = ()


def verdict(measured: Measured, bounds: Mapping[str, float]) -> Verdict:
    """Judge a variant. A bound whose measure is missing refuses it, unless the measure is optional."""
    reasons = (*map(_of_fault, measured.faults), *(() if measured.faults else _exceeded(measured, bounds)))
    return Verdict(not reasons, reasons)


def _exceeded(measured: Measured, bounds: Mapping[str, float]) -> Iterator[Reason]:
    found = {measure.name: measure for measure in measured.measures}
    if not found or measured.rows == 0:
        yield Reason("not_measured", "nothing was measured, so nothing shows that its answers are right")
    for name, bound in bounds.items():
        measure = found.get(name)
        if measure is None:
            if not MEASURES[name].optional:
                yield Reason(name, f"{name} was not measured, and its bound is {bound:g}", bound=bound)
        elif not _within(measure, bound):
            yield _of_measure(measure, bound)


def _within(measure: Measure, bound: float) -> bool:
    """Return whether the value keeps the bound. NaN keeps none."""
    return measure.value >= bound if MEASURES[measure.name].at_least else measure.value <= bound


def _of_measure(measure: Measure, bound: float) -> Reason:
    side = "at least" if MEASURES[measure.name].at_least else "at most"
    detail = f"{measure.name} is {measure.value:.4g}, and must be {side} {bound:g}{_place(measure)}"
    return Reason(measure.name, detail, measure.value, bound, measure.output, measure.sample)


def _of_fault(fault: Fault) -> Reason:
    return Reason(fault.code, f"{fault.detail}{_place(fault)}", output=fault.output, sample=fault.sample)


def _place(found: Measure | Fault) -> str:
    """Return where it was found, such as ` (output 'y'; sample normal, 8 rows, number 3)`."""
    parts = [f"output {found.output!r}" if found.output else "", f"sample {found.sample}" if found.sample else ""]
    known = "; ".join(filter(None, parts))
    return f" ({known})" if known else ""
