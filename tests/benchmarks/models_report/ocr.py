"""Compare int8 networks of `read` with its fp32 networks on generated pages that no calibration saw."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from statistics import fmean, median

import numpy as np
from rapidocr import RapidOCR

from inference.core.calls import Call
from inference.core.contracts import Json, PageInput, Pixels, VersionSpec
from inference.engine.engine import Engine, local_engine
from inference.factory.page_samples import DETECTION, RECOGNITION, calibration_samples, int8_options
from inference.factory.transforms import StaticInt8, Transformed, TransformRefused, transform
from inference.runtime.machine import processor
from tests.benchmarks.bench_documents import page_errors, read_lines, worn
from tests.benchmarks.bench_ocr import scan
from tests.benchmarks.circumstances import circumstances
from tests.benchmarks.models_report.timing import seconds
from tests.benchmarks.models_report.writing import Design, Figure, ModelReport
from tests.inference.registry.builtin.served import builtin_specs

NAME = "ocr-int8"
FIRST_CALIBRATION_SEED, FIRST_HELD_OUT_SEED = 700_000, 960_000
CALIBRATION_PAGES, HELD_OUT_PAGES, DENSE_PAGES, ROUNDS = 10, 10, 1, 2
MUST_GAIN, MAY_ADD, OF_PACKAGE = 1.4, 0.002, 0.5
BOTH = (DETECTION, RECOGNITION)


def designs() -> Mapping[str, tuple[StaticInt8, Sequence[str]]]:
    """Return what is tried: the options of the quantization, and the networks that become int8."""
    plain = int8_options()
    large = replace(plain, operators=("Conv",), min_weights=4096, depthwise=False, method="percentile")
    return {
        "both networks, all convolutions": (plain, BOTH),
        "both networks, large convolutions by percentile": (large, BOTH),
        "recognizer alone, large convolutions by percentile": (large, BOTH[1:]),
        "recognizer alone, error of at most 10 %": (replace(large, method="minmax", max_error=0.1), BOTH[1:]),
    }


def report(folder: Path) -> ModelReport:
    spec = builtin_specs()["read"]
    pages = [worn(FIRST_CALIBRATION_SEED + number, turn=False).picture for number in range(CALIBRATION_PAGES)]
    samples = calibration_samples(pages, Path(spec.artifacts[DETECTION]))
    bench = _Bench(spec)
    figures, tried = [], []
    for number, (name, (options, roles)) in enumerate(designs().items()):
        try:
            made = {
                role: transform(
                    Path(spec.artifacts[role]), options, into=folder / f"{number}-{role}.onnx", samples=samples[role]
                )
                for role in roles
            }
        except TransformRefused as refused:
            figures.append(Figure(name, "made", refused.detail, "a file", False))
            continue
        figures += bench.figures(name, made)
        tried += [
            Design(f"{name}: {role}", each.lineage.as_json(), {"bytes": each.size_bytes}) for role, each in made.items()
        ]
    return ModelReport(
        NAME,
        "Text recognition, 8-bit",
        f"{HELD_OUT_PAGES} worn pages of all kinds for errors and {DENSE_PAGES} dense ones for times, none of which is "
        f"among the {CALIBRATION_PAGES} of the calibration. Wrong characters are counted line by line. Times are those "
        f"that the processor worked for a page in the engine, fp32 and int8 by turns, the median of pages. "
        f"`manage.py models build {NAME}` makes the first of these variants and judges it on pages of an operator.",
        circumstances(),
        processor(),
        figures,
        tried,
    )


class _Bench:
    """The pages, and how the exact networks read them."""

    def __init__(self, spec: VersionSpec) -> None:
        self._spec, self._engine = spec, local_engine()
        self._pages = [worn(FIRST_HELD_OUT_SEED + number, turn=False) for number in range(HELD_OUT_PAGES)]
        self._dense = [scan(FIRST_HELD_OUT_SEED + number) for number in range(DENSE_PAGES)]
        self._exact_errors = self._errors(spec)
        self._package_s = [_best(_read_by_package, page) for page in self._dense]

    def figures(self, name: str, made: Mapping[str, Transformed]) -> list[Figure]:
        artifacts = {**self._spec.artifacts, **{role: str(each.path) for role, each in made.items()}}
        variant = replace(self._spec, model=f"read-{abs(hash(name))}", artifacts=artifacts)
        added = self._errors(variant) - self._exact_errors
        gains, shares = self._times(variant)
        gain, share = median(gains), median(shares)
        return [
            Figure(
                name, "processor time of a page, fp32 over int8", f"{gain:.2f}x", f">= {MUST_GAIN}x", gain >= MUST_GAIN
            ),
            Figure(
                name,
                f"wrong characters added to {100 * self._exact_errors:.2f} %, points",
                f"{100 * added:+.2f}",
                f"<= {100 * MAY_ADD:g}",
                added <= MAY_ADD,
            ),
            Figure(
                name,
                "processor time of a dense page over that of the rapidocr package",
                f"{share:.2f}x",
                f"<= {OF_PACKAGE:g}x",
                share <= OF_PACKAGE,
            ),
        ]

    def _errors(self, spec: VersionSpec) -> float:
        return fmean(page_errors(page, read_lines(read_page(self._engine, spec, page.picture))) for page in self._pages)

    def _times(self, variant: VersionSpec) -> tuple[list[float], list[float]]:
        gains, shares = [], []
        for page, package_s in zip(self._dense, self._package_s, strict=True):
            read_page(self._engine, variant, page)
            exact_s = _best(lambda pixels: read_page(self._engine, self._spec, pixels), page)
            variant_s = _best(lambda pixels: read_page(self._engine, variant, pixels), page)
            gains.append(exact_s / variant_s)
            shares.append(variant_s / package_s)
        return gains, shares


def _best(way: Callable[[Pixels], object], page: Pixels) -> float:
    return min(seconds(way, page) for _ in range(ROUNDS))


def read_page(engine: Engine, spec: VersionSpec, pixels: Pixels) -> Mapping[str, Json]:
    height, width = pixels.shape[:2]
    work = PageInput(1, width, height, text_lines=None, load_pixels=lambda: pixels)
    return engine.run(spec, work, {}, Call()).result


@cache
def _package() -> RapidOCR:
    """Return the package with a single thread: several would spin while they wait, which counts as their time."""
    return RapidOCR(params={"Global.log_level": "error", "EngineConfig.onnxruntime.intra_op_num_threads": 1})


def _read_by_package(pixels: Pixels) -> object:
    return _package()(np.ascontiguousarray(pixels[:, :, ::-1]), use_cls=False)
