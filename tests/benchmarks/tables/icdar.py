"""Reads the hand-made truth of the ICDAR 2013 table competition."""

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.tables.relations import Grid, grid_of


@dataclass(frozen=True)
class Document:
    name: str
    pdf: Path
    tables: tuple[Grid, ...]


def documents(folder: Path) -> Iterator[Document]:
    """Yield the documents of a folder. A second truth of the same file has a letter at its end."""
    for truth in sorted(folder.glob("*-str.xml")):
        name = truth.name.removesuffix("-str.xml")
        pdf = folder / f"{name}.pdf"
        if not pdf.exists():
            pdf = folder / f"{name[:-1]}a.pdf"
        yield Document(name, pdf, tuple(_tables(truth)))


def _tables(truth: Path) -> Iterator[Grid]:
    for table in ET.parse(truth).getroot().iter("table"):
        yield grid_of(cell for region in table.iter("region") for cell in _cells(region))


def _cells(region: ET.Element) -> Iterator[tuple[int, int, int, int, str]]:
    down, across = (int(region.get(f"{name}-increment", "0")) for name in ("row", "col"))
    for cell in region.iter("cell"):
        top, left = (int(cell.get(f"start-{name}", "0")) for name in ("row", "col"))
        bottom, right = (int(cell.get(f"end-{name}") or start) for name, start in (("row", top), ("col", left)))
        yield top + down, left + across, bottom + down, right + across, cell.findtext("content") or ""
