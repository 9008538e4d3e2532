"""Builds `ocr-int8` for the command `manage.py models build`: 8-bit networks are made, judged, and then registered."""

import hashlib
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from django.conf import settings
from django.core.management.base import CommandError

from inference.core.contracts import Json, PageInput, Pixels, VersionSpec
from inference.core.errors import ModelFailed
from inference.engine.engine import Engine, local_engine
from inference.factory.bounds import BoundInvalid, bounds_for
from inference.factory.gate import Verdict
from inference.factory.measures.measured import Measured
from inference.factory.measures.pairs import Kind
from inference.factory.page_samples import DETECTION, calibration_samples, int8_options
from inference.factory.readings import MEASURE, ReadingComparison, TooLittleText
from inference.factory.report import GoldenFacts, VariantReport
from inference.factory.samples import Feeds
from inference.factory.transforms import StaticInt8, Transformed, TransformRefused, transform
from inference.pictures.righting import Righting
from inference.registry.ocr_int8 import NETWORKS, OCR_INT8, ExactReading, exact_reading, register
from inference.runtime.machine import processor, this_machine
from inference.runtime.native import onnx_runtime
from tenants.core.own_folder import own_folder
from tenants.core.progress import Progress

MIN_PAGES, MAX_PAGES = 8, 40
"""The number of different pages that are used. Half of them judge."""
MIN_CHARACTERS = 1000
"""The fewest characters on the pages that judge. With fewer, a single wrong one would decide."""
Write = Callable[[str], object]


class Page(Protocol):
    @property
    def name(self) -> str: ...

    def pixels(self) -> Pixels: ...


def bounds_of(max_errors: float | None) -> Mapping[str, float]:
    """Return the bounds of the kind text of which this comparison has measures."""
    try:
        bounds = bounds_for(Kind.TEXT, {} if max_errors is None else {MEASURE: max_errors})
    except BoundInvalid as error:
        raise CommandError(f"--max-errors: {error}.") from error
    return {MEASURE: bounds[MEASURE]}


def build(pages: Mapping[str, Page], bounds: Mapping[str, float], progress: Progress, write: Write) -> None:
    """Build `ocr-int8` on pages by their SHA-256. Raises CommandError with the figures if the gate refuses it."""
    if len(pages) < MIN_PAGES:
        raise CommandError(
            f"Too few different pages can be read there: {len(pages)}. Give at least {MIN_PAGES}: half of them make "
            "the networks, and the others judge them."
        )
    try:
        with tempfile.TemporaryDirectory(dir=own_folder(), prefix="ocr-int8-") as folder:
            _Build(pages, exact_reading(), bounds, progress, write).run(Path(folder))
    except (TransformRefused, ModelFailed) as error:
        raise CommandError(f"{error}. Nothing was registered.") from error
    except TooLittleText as error:
        raise CommandError(str(error)) from error


@dataclass(frozen=True, slots=True)
class _Build:
    pages: Mapping[str, Page]
    exact: ExactReading
    bounds: Mapping[str, float]
    progress: Progress
    write: Write

    def run(self, folder: Path) -> None:
        calibration, held_out = halves(sorted(self.pages))
        reader = _Reader(local_engine(), self.exact)
        made = self._made(folder, reader, calibration)
        compared = self._compared(reader, {role: each.path for role, each in made.items()}, held_out)
        measured = compared.measured(min_characters=MIN_CHARACTERS)
        judged = compared.judged(measured, self.bounds)
        self._write_figures(compared, held_out)
        if not judged.admitted:
            reasons = "; ".join(reason.detail for reason in judged.reasons)
            raise CommandError(f"{OCR_INT8} was refused: {reasons}. Nothing was registered.")
        files = {role: each.path for role, each in made.items()}
        registered = register(
            self.exact,
            files,
            lineage={role: each.lineage.as_json() for role, each in made.items()},
            report=self._report(files, measured, judged, len(calibration)).to_json(),
            processor_time=_processor_time(compared),
        )
        state = "new" if registered.is_new else "in the registry already, with the same networks"
        self.write(f"{registered.ocr.key} and its member {registered.read.key} are current ({state})")

    def _made(self, folder: Path, reader: "_Reader", calibration: Sequence[str]) -> Mapping[str, Transformed]:
        self.progress.stage(f"reading {len(calibration)} pages to calibrate with")
        detector = Path(reader.exact.artifacts[DETECTION])
        samples = calibration_samples((pixels for _, pixels in self._upright(reader, calibration)), detector)
        sources = {role: Path(reader.exact.artifacts[role]) for role in NETWORKS}
        return {role: self._network(role, sources[role], folder, samples[role]) for role in NETWORKS}

    def _network(self, role: str, source: Path, folder: Path, samples: Sequence[Feeds]) -> Transformed:
        stage = f"making the 8-bit network for {role}"
        self.progress.stage(f"{stage}, which takes a minute or more")
        return transform(
            source,
            int8_options(),
            into=folder / f"{role}-int8.onnx",
            samples=samples,
            needs=settings.MAAS_SANDBOX_NEEDS,
            progress=Progress(lambda passed: self.progress.stage(f"{stage}: {passed}")),
        )

    def _compared(self, reader: "_Reader", files: Mapping[str, Path], held_out: Sequence[str]) -> ReadingComparison:
        """Read the pages with both, one page at a time."""
        self.progress.stage(f"reading {len(held_out)} other pages with both")
        variant = self.exact.variant_spec(files)
        reader.engine.load(reader.exact)
        reader.engine.load(variant)
        compared = ReadingComparison(reader.reads(reader.exact), reader.reads(variant))
        for number, pixels in self._upright(reader, held_out):
            # The report has numbers instead of names: every account sees it, and a name of a file may be private.
            compared.add(f"page {number}", pixels)
            if compared.faults:
                break
        return compared

    def _upright(self, reader: "_Reader", chosen: Sequence[str]) -> Iterator[tuple[int, Pixels]]:
        for number, sha256 in enumerate(chosen, 1):
            self.progress.within(f"page {number} of {len(chosen)}")
            yield number, reader.upright(self.pages[sha256].pixels())

    def _write_figures(self, compared: ReadingComparison, held_out: Sequence[str]) -> None:
        if not compared.pages:
            return
        wrong = sum(page.wrong for page in compared.pages)
        share, time = wrong / max(1, compared.characters), _page_ms(compared)
        self.write(f"{len(compared.pages)} pages\t{compared.characters:,} characters")
        self.write(f"other characters\t{wrong:,}: {share:.2%}, at most {self.bounds[MEASURE]:.2%}")
        if wrong:
            worst, sha256 = max(zip(compared.pages, held_out, strict=False), key=lambda pair: pair[0].share)
            self.write(f"most on {worst.name}\t{worst.wrong:,} of {worst.characters:,}: {self.pages[sha256].name}")
        self.write(
            f"processor time of a page\t{time['int8_page_ms']:,.0f} ms instead of {time['exact_page_ms']:,.0f} ms; "
            f"{compared.speedup:.2f} times as fast"
        )

    def _report(
        self, files: Mapping[str, Path], measured: Measured, judged: Verdict, calibration_pages: int
    ) -> VariantReport:
        """Return the report of the gate. The networks are two, so that versions stand for the files."""
        return VariantReport(
            source_sha256=self.exact.read.digest,
            variant_sha256=self.exact.digest_with(files),
            measured=measured,
            bounds=self.bounds,
            verdict=judged,
            golden=GoldenFacts(
                digest=hashlib.sha256("".join(sorted(self.pages)).encode()).hexdigest(),
                generated=False,
                seed=0,
                calibration_rows=calibration_pages,
                held_out_rows=measured.rows,
            ),
            device=f"{processor()}, {this_machine().threads} threads",
            onnx_runtime=str(onnx_runtime().__version__),
            measured_at=datetime.now(UTC).isoformat(timespec="seconds"),
            name=StaticInt8.name,
            precision=StaticInt8.precision,
        )


class _Reader:
    """The models of the exact reading in an engine of this process."""

    def __init__(self, engine: Engine, exact: ExactReading) -> None:
        self.engine = engine
        self.exact = exact.read_spec
        self._orient = exact.orient_spec

    def upright(self, pixels: Pixels) -> Pixels:
        turn = self._run(self._orient, pixels)
        height, width = pixels.shape[:2]
        return Righting(width, height, turn["rotation"], turn["angle"], turn["sheet"]).apply(pixels)

    def reads(self, spec: VersionSpec) -> Callable[[Pixels], Mapping[str, Json]]:
        return lambda pixels: self._run(spec, pixels)

    def _run(self, spec: VersionSpec, pixels: Pixels) -> Mapping[str, Json]:
        height, width = pixels.shape[:2]
        page = PageInput(1, width, height, text_lines=None, load_pixels=lambda: pixels)
        return self.engine.run(spec, page, {}).result


def halves(digests: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Return the pages to calibrate with and those that judge, by their content, whatever the names of the files."""
    return digests[1::2], digests[::2]


def _processor_time(compared: ReadingComparison) -> dict[str, Any]:
    return {"pages": len(compared.pages), "speedup": round(compared.speedup, 3), **_page_ms(compared)}


def _page_ms(compared: ReadingComparison) -> dict[str, float]:
    count = len(compared.pages)
    return {
        "exact_page_ms": round(1000 * sum(page.exact_s for page in compared.pages) / count, 1),
        "int8_page_ms": round(1000 * sum(page.variant_s for page in compared.pages) / count, 1),
    }
