"""Measure the quantized built-in models and write docs/models-reports.

Run from the repository's root: python -m tests.benchmarks.models_report [embed-int8] [embed-pruned] [ocr-int8]
"""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.models_report import embed, ocr, pruned_embed
from tests.benchmarks.models_report.writing import ModelReport, write

FOLDER = Path("docs/models-reports")
REPORTS: Mapping[str, Callable[[Path], ModelReport]] = {
    embed.NAME: embed.report,
    pruned_embed.NAME: pruned_embed.report,
    ocr.NAME: ocr.report,
}


def main(names: list[str]) -> None:
    for name in names or REPORTS:
        with TemporaryDirectory(prefix="models-report-") as folder:
            report = REPORTS[name](Path(folder))
        write(report, FOLDER)
        print(f"{name}: {report.verdict}")
        for figure in report.figures:
            print(f"  {figure.variant}, {figure.what}: {figure.value} ({figure.goal}) {figure.state}")


if __name__ == "__main__":
    main(sys.argv[1:])
