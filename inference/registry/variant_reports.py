"""The report of the variants of a version: figures, measures with their bounds, and a plot. It makes no queries."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from inference.factory.bounds import MEASURES
from inference.factory.report import Performance, Point, VariantReport, pareto
from inference.registry.models import ModelVariant
from tenants.limits.quota.wording import size


@dataclass(frozen=True)
class Figures:
    speedup: str
    alone: str
    """The latency of a single caller: p50 and p99."""
    company: str
    rows_per_s: str
    memory: str
    size: str
    load: str


@dataclass(frozen=True)
class MeasureRow:
    name: str
    value: str
    bound: str
    within: bool
    where: str


@dataclass(frozen=True)
class VariantView:
    number: int
    """The number in the plot and in the table."""
    id: UUID
    name: str
    precision: str
    state: str
    reasons: tuple[str, ...]
    figures: Figures | None
    error: str
    """The share of its tightest bound that it uses."""
    measures: tuple[MeasureRow, ...]
    conditions: str
    used_as: int | None
    on_front: bool
    slower: bool
    """Set if a single caller is answered later than by the version itself."""
    measured_at: datetime | None
    source_rows_per_s: str
    """The rows per second of the version itself in the same measurement. Other measurements had another machine."""

    @property
    def admitted(self) -> bool:
        return self.state == ModelVariant.State.ADMITTED

    @property
    def measuring(self) -> bool:
        return self.state == ModelVariant.State.MEASURING


@dataclass(frozen=True)
class Dot:
    label: str
    title: str
    css: str
    x: float
    y: float
    radius: float


@dataclass(frozen=True)
class Tick:
    at: float
    text: str


@dataclass(frozen=True)
class Plot:
    dots: tuple[Dot, ...]
    front: str
    """The points of the line through the variants that no other one surpasses."""
    speeds: tuple[Tick, ...]
    errors: tuple[Tick, ...]
    bound_y: float


@dataclass(frozen=True)
class Report:
    variants: tuple[VariantView, ...]
    source: Figures | None
    """The figures of the version itself in the newest measurement."""
    company: str
    plot: Plot | None

    @property
    def may_use(self) -> bool:
        return any(variant.admitted for variant in self.variants)


@dataclass(frozen=True)
class _Measured:
    variant: ModelVariant
    report: VariantReport | None
    """The report. It is None if it was refused before it was measured, or is measured still."""

    @property
    def point(self) -> Point | None:
        if self.report is None or self.report.variant is None or not self.report.measured.measures:
            return None
        # Each was measured beside its source, at another time, so that only the ratio can be compared.
        relative_ms = 1 / (self.report.speedup or 1e-9)
        return Point(relative_ms, self.report.error, self.report.variant.memory_bytes)


def report_of(variants: Sequence[ModelVariant]) -> Report:
    """Describe variants, in the order in which they are given."""
    measured = [_Measured(variant, _read(variant)) for variant in variants]
    admitted = [one for one in measured if one.variant.state == ModelVariant.State.ADMITTED and one.point]
    best = {admitted[at].variant.pk for at in pareto([one.point for one in admitted if one.point])}
    views = tuple(_view(number, one, one.variant.pk in best) for number, one in enumerate(measured, 1))
    pairs = [(view, one.report) for view, one in zip(views, measured, strict=True) if one.report and one.point]
    sources = [(report.measured_at, report.source) for _, report in pairs if report.source]
    source = max(sources, key=lambda one: one[0])[1] if sources else None
    return Report(
        variants=views,
        source=_figures(source, source) if source else None,
        company=source.company if source else "",
        plot=_plot(pairs, source) if source else None,
    )


def _read(variant: ModelVariant) -> VariantReport | None:
    return VariantReport.from_json(variant.report) if "verdict" in variant.report else None


def _view(number: int, measured: _Measured, on_front: bool) -> VariantView:
    variant, report = measured.variant, measured.report
    performance = report.variant if report else None
    return VariantView(
        number=number,
        id=variant.pk,
        name=variant.transformation or f"{variant.precision}, uploaded",
        precision=variant.precision,
        state=variant.state,
        reasons=tuple(_reasons(measured)),
        figures=_figures(performance, report.source if report else None) if performance else None,
        error=_percent(report.error) if report and measured.point else "",
        measures=tuple(_measures(report)) if report else (),
        conditions=_conditions(report) if report else "",
        used_as=variant.used_as.number if variant.used_as else None,
        on_front=on_front,
        slower=report is not None and (report.speedup or 1.0) < 1.0,
        measured_at=datetime.fromisoformat(report.measured_at) if report else None,
        source_rows_per_s=f"{report.source.rows_per_s:,.0f}" if performance and report and report.source else "",
    )


def _reasons(measured: _Measured) -> Iterator[str]:
    if measured.report:
        yield from (reason.detail for reason in measured.report.verdict.reasons)
    refused = measured.variant.report.get("refused")
    if refused:
        yield f"{refused['detail']} {refused.get('what_to_do', '')}".strip()


def _figures(performance: Performance, source: Performance | None) -> Figures:
    speedup = source.alone_p50_ms / performance.alone_p50_ms if source and performance.alone_p50_ms else None
    return Figures(
        speedup="" if speedup is None else f"{speedup:.2f} ×",
        alone=f"{_ms(performance.alone_p50_ms)} / {_ms(performance.alone_p99_ms)} ms",
        company=f"{_ms(performance.company_p50_ms)} / {_ms(performance.company_p99_ms)} ms",
        rows_per_s=f"{performance.rows_per_s:,.0f}",
        memory=size(performance.memory_bytes),
        size=size(performance.file_bytes),
        load=f"{1000 * performance.load_s:,.0f} ms",
    )


def _ms(value: float) -> str:
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}" if value < 10 else f"{value:,.0f}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.01 or share == 0 else "< 1 %"


def _measures(report: VariantReport) -> Iterator[MeasureRow]:
    """Yield the measures that have a bound, and then the others."""
    for measure in sorted(report.measured.measures, key=lambda one: one.name not in report.bounds):
        bound, at_least = report.bounds.get(measure.name), MEASURES[measure.name].at_least
        within = bound is None or (measure.value >= bound if at_least else measure.value <= bound)
        yield MeasureRow(
            name=measure.name.replace("_", " "),
            value=f"{measure.value:.4g}",
            bound="" if bound is None else f"{'≥' if at_least else '≤'} {bound:g}",
            within=within,
            where=measure.output,
        )


def _conditions(report: VariantReport) -> str:
    golden = report.golden
    inputs = f"generated inputs (seed {golden.seed})" if golden.generated else "the owner's inputs"
    return (
        f"{report.measured.rows:,} rows of {inputs} that it was not made with, as {report.measured.kind}, on "
        f"{report.device} with ONNX Runtime {report.onnx_runtime}"
    )


WIDTH, HEIGHT = 420, 280
LEFT, RIGHT, TOP, BOTTOM = 46, 14, 16, 40
MAX_RADIUS, MIN_RADIUS = 15.0, 7.0
MAX_ERROR = 3.0
"""The share of a bound at which the plot ends. Worse variants lie on its edge."""


@dataclass(frozen=True)
class _Scale:
    speed: float
    error: float
    memory_bytes: float

    def x(self, speedup: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * min(speedup / self.speed, 1.0), 1)

    def y(self, error: float) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * min(error / self.error, 1.0), 1)

    def radius(self, memory_bytes: float) -> float:
        share = memory_bytes / self.memory_bytes if self.memory_bytes else 0.0
        return round(max(MIN_RADIUS, MAX_RADIUS * math.sqrt(share)), 1)


def _plot(pairs: Sequence[tuple[VariantView, VariantReport]], source: Performance) -> Plot:
    scale = _scale([report for _, report in pairs], source)
    own = Dot("", f"The version itself, {size(source.memory_bytes)}", "source", scale.x(1), scale.y(0), 0.0)
    dots = [replace(own, radius=scale.radius(source.memory_bytes)), *(_dot(*pair, scale) for pair in pairs)]
    front = sorted((scale.x(report.speedup or 0), scale.y(report.error)) for view, report in pairs if view.on_front)
    return Plot(
        # The smaller ones are drawn last, so that none is hidden.
        dots=tuple(sorted(dots, key=lambda dot: -dot.radius)),
        front=" ".join(f"{x},{y}" for x, y in front),
        speeds=tuple(Tick(scale.x(speed), f"{speed:g} ×") for speed in _steps(scale.speed)),
        errors=tuple(Tick(scale.y(error), f"{100 * error:.0f} %") for error in _steps(scale.error)),
        bound_y=scale.y(1),
    )


def _scale(reports: Sequence[VariantReport], source: Performance) -> _Scale:
    memory = [report.variant.memory_bytes for report in reports if report.variant]
    return _Scale(
        speed=max(2.0, 1.1 * max(report.speedup or 0.0 for report in reports)),
        error=max(1.5, min(MAX_ERROR, 1.1 * max(report.error for report in reports))),
        memory_bytes=max(source.memory_bytes, *memory),
    )


def _dot(view: VariantView, report: VariantReport, scale: _Scale) -> Dot:
    assert report.variant is not None, "only measured variants have a place in the plot"
    memory_bytes = report.variant.memory_bytes
    figures = f"{report.speedup or 0:.2f} ×, {view.error} of its bound, {size(memory_bytes)}"
    return Dot(
        label=str(view.number),
        title=f"{view.number}. {view.name}: {figures}",
        css=view.state,
        x=scale.x(report.speedup or 0.0),
        y=scale.y(report.error),
        radius=scale.radius(memory_bytes),
    )


def _steps(highest: float) -> Iterator[float]:
    """Yield at most seven round values up to the highest."""
    step = next(step for step in (0.5, 1, 2, 5, 10, 20, 50, 100, 1e9) if highest / step <= 6)
    yield from (number * step for number in range(int(highest / step) + 1))
