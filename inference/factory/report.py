"""The report of a variant or of a run of the factory, as JSON and as text, and the front of speed, error and memory."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inference.factory.bounds import MEASURES
from inference.factory.gate import Verdict
from inference.factory.json_form import from_json, to_json
from inference.factory.measures.measured import Measured


@dataclass(frozen=True, slots=True)
class Performance:
    """The figures of a file on one machine. Latencies are those of one caller alone, and in company."""

    file_bytes: int
    load_s: float
    memory_bytes: int
    """The memory of the session after its largest run."""
    alone_p50_ms: float
    alone_p99_ms: float
    company_p50_ms: float
    company_p99_ms: float
    rows_per_s: float
    """The throughput in company."""
    company: str = ""
    """The form of the company: `a batch of 64 rows` or `64 callers`."""


@dataclass(frozen=True, slots=True)
class GoldenFacts:
    """The facts about the golden set by which a comparison can be repeated."""

    digest: str
    generated: bool
    seed: int
    calibration_rows: int
    held_out_rows: int


@dataclass(frozen=True, slots=True)
class Lineage:
    """The way in which a file was made."""

    source_sha256: str = ""
    transformation: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    tools: Mapping[str, str] = field(default_factory=dict)
    """The versions of the tools by name."""


@dataclass(frozen=True, slots=True)
class VariantReport:
    source_sha256: str
    variant_sha256: str
    measured: Measured
    bounds: Mapping[str, float]
    verdict: Verdict
    golden: GoldenFacts
    device: str
    """The class of the device on which it was measured."""
    onnx_runtime: str
    measured_at: str
    """The time in UTC, as ISO 8601."""
    source: Performance | None = None
    variant: Performance | None = None
    """The performance of both files. It is None if the variant does not run."""
    name: str = ""
    precision: str = ""
    lineage: Lineage = Lineage()

    @property
    def speedup(self) -> float | None:
        """Return how many times as fast a caller alone is answered, or None if it was not measured."""
        if self.source is None or self.variant is None or not self.variant.alone_p50_ms:
            return None
        return self.source.alone_p50_ms / self.variant.alone_p50_ms

    @property
    def error(self) -> float:
        """Return the largest share of a bound that the variant uses: 1 is at the bound, 0 is without error."""
        return max((_used(self, name, bound) for name, bound in self.bounds.items()), default=0.0)

    def to_json(self) -> dict[str, Any]:
        return dict(to_json(self))

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "VariantReport":
        return from_json(cls, content)


@dataclass(frozen=True, slots=True)
class FactoryReport:
    """The report of all variants of a source."""

    source_name: str
    source_sha256: str
    variants: tuple[VariantReport, ...]

    def to_json(self) -> dict[str, Any]:
        return dict(to_json(self))

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "FactoryReport":
        return from_json(cls, content)

    @property
    def front(self) -> frozenset[int]:
        """Return the positions of the admitted variants to which no other admitted variant is better in everything."""
        points = {
            position: Point(report.variant.alone_p50_ms, report.error, report.variant.memory_bytes)
            for position, report in enumerate(self.variants)
            if report.verdict.admitted and report.variant is not None
        }
        positions = list(points)
        return frozenset(positions[index] for index in pareto(list(points.values())))


@dataclass(frozen=True, slots=True)
class Point:
    """A variant in the plot. Lower is better on each axis."""

    latency_ms: float
    error: float
    memory_bytes: float


def pareto(points: Sequence[Point]) -> frozenset[int]:
    """Return the positions of the points on the front: no other is as good on each axis and better on one."""
    return frozenset(
        position for position, point in enumerate(points) if not any(_dominates(other, point) for other in points)
    )


def _dominates(one: Point, other: Point) -> bool:
    mine, its = _axes(one), _axes(other)
    return mine != its and all(left <= right for left, right in zip(mine, its, strict=True))


def _axes(point: Point) -> tuple[float, float, float]:
    return point.latency_ms, point.error, point.memory_bytes


def _used(report: VariantReport, name: str, bound: float) -> float:
    value = next((each.value for each in report.measured.measures if each.name == name), None)
    if value is None:
        return 0.0
    if MEASURES[name].at_least:
        value, bound = 1 - value, 1 - bound
    return value / bound if bound > 0 else float(value > 0)


def as_text(report: FactoryReport) -> str:
    """Return the report for a terminal: a line for each variant, and the reasons of refusals below."""
    return "\n".join(_lines(report))


def _lines(report: FactoryReport) -> Iterator[str]:
    yield f"{report.source_name} ({report.source_sha256[:12]})"
    front = report.front
    for position, variant in enumerate(report.variants):
        mark = "*" if position in front else " "
        state = "admitted" if variant.verdict.admitted else "refused"
        yield f"{mark} {variant.name or variant.variant_sha256[:12]:<24} {state:<9}{_figures(variant)}"
        for reason in variant.verdict.reasons:
            yield f"      {reason.detail}"
    if front:
        yield "* on the front of speed, error and memory"


def _figures(report: VariantReport) -> str:
    if report.source is None or report.variant is None:
        return ""
    speedup = report.speedup or 0.0
    return (
        f" {speedup:.2f}x alone ({report.variant.alone_p50_ms:.2f} ms)"
        f"  {report.variant.rows_per_s:.0f} rows/s"
        f"  {report.variant.file_bytes / 1e6:.1f} MB file"
        f"  {report.variant.memory_bytes / 1e6:.1f} MB memory"
        f"  {100 * report.error:.0f} % of its bounds"
    )
