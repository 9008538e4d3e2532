"""The codes and tick boxes of a page as a person reads them. This module is pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MAX_SHOWN = 200
"""The most codes, and the most tick boxes, that are shown. The JSON has all of them."""
MAX_CHARACTERS = 2_000
_KINDS = {
    "qr": "QR code",
    "micro_qr": "Micro QR code",
    "data_matrix": "Data Matrix",
    "aztec": "Aztec",
    "pdf417": "PDF417",
    "code128": "Code 128",
    "code39": "Code 39",
    "code93": "Code 93",
    "ean13": "EAN-13",
    "ean8": "EAN-8",
    "upca": "UPC-A",
    "upce": "UPC-E",
    "itf": "ITF",
    "codabar": "Codabar",
}


@dataclass(frozen=True)
class CodeView:
    kind: str
    text: str
    is_binary: bool
    """The content is not text, so that it is shown in Base64."""


@dataclass(frozen=True)
class MarkView:
    label: str
    checked: bool


def code_views(result: Mapping[str, Any]) -> Sequence[CodeView]:
    return list(_codes(result))[:MAX_SHOWN]


def mark_views(result: Mapping[str, Any]) -> Sequence[MarkView]:
    marks = [
        MarkView(mark["label"][:MAX_CHARACTERS], mark["checked"])
        for mark in _objects(result, "marks")
        if isinstance(mark.get("label"), str) and isinstance(mark.get("checked"), bool)
    ]
    return marks[:MAX_SHOWN]


def _codes(result: Mapping[str, Any]) -> Iterator[CodeView]:
    for code in _objects(result, "codes"):
        symbology, text, encoded = code.get("symbology"), code.get("text"), code.get("base64", "")
        if isinstance(symbology, str) and isinstance(text, str) and isinstance(encoded, str):
            kind = _KINDS.get(symbology, symbology)
            yield CodeView(kind, (text or encoded)[:MAX_CHARACTERS], is_binary=not text)


def _objects(result: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a list. An added model may return anything under its name."""
    found = result.get(name)
    yield from (each for each in found if isinstance(each, dict)) if isinstance(found, list) else ()
