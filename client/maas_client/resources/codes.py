"""Barcodes, QR codes and other codes for machines."""

from base64 import b64decode
from dataclasses import dataclass
from typing import Self

from maas_client.resources.json_values import Box, Json, box_of


@dataclass(frozen=True, slots=True)
class Code:
    """A barcode, QR code or other code for machines."""

    symbology: str
    """The kind of code, such as "qr", "code128", "ean13", "data_matrix", "pdf417" or "aztec"."""
    text: str
    """The content. It is empty if it is not text."""
    content: bytes | None
    """The content if it is not text."""
    box: Box | None

    @classmethod
    def from_json(cls, body: Json) -> Self:
        encoded = body.get("base64")
        return cls(body["symbology"], body["text"], b64decode(encoded) if encoded else None, box_of(body["box"]))
