"""Options of `manage.py models add --variant int8=file --precision cpu=int8`: a graph in several precisions."""

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from inference.registry.admission import ModelRefused
from inference.registry.onnx_files import Precision
from inference.runtime.precision import FP32, PRECISIONS


def describe_precisions(add: ArgumentParser) -> None:
    add.add_argument(
        "--variant",
        action="append",
        default=[],
        metavar="PRECISION=FILE",
        help=f"the same graph in another precision ({', '.join(PRECISIONS[1:])}), with the same inputs and outputs;"
        " once for each. Its answers are not compared with the fp32 file's",
    )
    add.add_argument(
        "--precision",
        action="append",
        default=[],
        metavar="[DEVICE=]PRECISION",
        help="in which precision it runs: one word, or cpu=… and gpu=…; fp32 unless told",
    )


def read_variants(given: Sequence[str]) -> dict[str, Path]:
    variants: dict[str, Path] = {}
    for one in given:
        precision, equals, file = one.partition("=")
        if not precision or not equals or not file:
            raise ModelRefused("invalid_variant", f"--variant {one!r:.80} must be written precision=file")
        if precision in variants or precision == FP32:
            raise ModelRefused("invalid_variant", f"--variant gives a file for {precision!r} twice")
        variants[precision] = Path(file)
    return variants


def read_precision(given: Sequence[str]) -> Precision | None:
    """Return a precision for both devices or one for each, or None if none is given."""
    if len(given) == 1 and "=" not in given[0]:
        return given[0]
    precision: dict[str, str] = {}
    for one in given:
        device, equals, word = one.partition("=")
        if not equals or device in precision:
            raise ModelRefused(
                "invalid_variant", f"--precision {one!r:.80} must be one word alone, or cpu=word and gpu=word"
            )
        precision[device] = word
    return precision or None
