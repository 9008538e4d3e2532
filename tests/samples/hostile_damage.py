"""Sound documents that were cut, changed in a bit, or are more than one thing, each with the answers that are right."""

import base64
import io
import random
import warnings
import zipfile
from collections.abc import Callable, Iterator

from tests.samples.emails import email_with, nested_emails
from tests.samples.heic import heic
from tests.samples.hostile_office import CORRUPT, LARGE, OTHER, PASSWORD, READ, html, mail_of, many_parts, multipart
from tests.samples.images import drawn_page, encoded
from tests.samples.office import mail, package, presentation, word_document, word_parts, workbook
from tests.samples.pdfs import locked_pdf, text_pdf

Made = tuple[Callable[[], bytes], str]
ANY = f"{READ} {CORRUPT} {OTHER} {PASSWORD} {LARGE} document_empty document_too_complex too_many_pages image_too_large"
"""The answers to a changed bit: the text as it still is, or what is wrong now."""
_CUTS = 15
_FLIPS = 20


def damaged_documents() -> dict[str, Made]:
    return {**dict(_cut()), **dict(_flipped()), **ODD}


def _sound() -> dict[str, Callable[[], bytes]]:
    return {
        "word": word_document,
        "excel": workbook,
        "powerpoint": presentation,
        "avif": lambda: encoded(drawn_page("a b", (400, 300)), "AVIF"),
        "heic": lambda: heic(3, 2),
    }


def _cut() -> Iterator[tuple[str, Made]]:
    for name, make in _sound().items():
        content = make()
        for part in range(1, _CUTS + 1):
            end = 40 + (len(content) - 60) * part // (_CUTS + 1)
            yield f"{name} cut at {part} of {_CUTS + 1}", (_first(content, end), CORRUPT)
    content = locked_pdf()
    for part in range(1, _CUTS + 1):
        end = 20 + (len(content) - 120) * part // (_CUTS + 1)
        yield f"locked pdf cut at {part} of {_CUTS + 1}", (_first(content, end), f"{CORRUPT} {PASSWORD}")


def _flipped() -> Iterator[tuple[str, Made]]:
    chance = random.Random(20)
    for name, make in {**_sound(), "email": mail, "locked pdf": locked_pdf}.items():
        content = make()
        for number in range(_FLIPS):
            changed = bytearray(content)
            for _ in range(1 + number):
                changed[chance.randrange(8, len(changed))] ^= 1 << chance.randrange(8)
            yield f"{name} with {number + 1} bits changed", (_same(bytes(changed)), ANY)


def _first(content: bytes, end: int) -> Callable[[], bytes]:
    return lambda: content[:end]


def _same(content: bytes) -> Callable[[], bytes]:
    return lambda: content


def _traversal() -> bytes:
    inside = {f"../../../tmp/evil{number}.xml": "x" for number in range(20)}
    return package({**word_parts("<w:p><w:r><w:t>x</w:t></w:r></w:p>"), **inside, "/etc/passwd": "x", "C:\\x": "x"})


def _twice() -> bytes:
    """Return a package that has its main part twice, one after the other."""
    out = io.BytesIO(word_document())
    with zipfile.ZipFile(out, "a") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        archive.writestr("word/document.xml", word_parts("<w:p><w:r><w:t>x</w:t></w:r></w:p>")["word/document.xml"])
    return out.getvalue()


def _much_base64() -> bytes:
    return mail_of(base64.b64encode(b"x " * 1_500_000).decode(), "Content-Transfer-Encoding: base64")


ODD: dict[str, Made] = {
    "pdf before a zip": (lambda: text_pdf("x") + word_document(), READ),
    "pdf in front of html": (lambda: b"%PDF-1.7\n<html><p>x", CORRUPT),
    "html before a pdf": (lambda: b"<html><p>x</p>" + text_pdf("y"), READ),
    "html named as word": (lambda: b"<html><p>x</p></html>", READ),
    "script before html": (lambda: b"#!/bin/sh\nrm -rf /\n<html>", READ),
    "members outside of the package": (_traversal, READ),
    "locked pdf": (locked_pdf, PASSWORD),
    "heic without a picture": (lambda: b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(40), CORRUPT),
    "heic of 900 tiles": (lambda: heic(30, 30), READ),
    "heic of 15,360 x 15,360": (lambda: heic(20, 20, size=(15_360, 15_360)), "image_too_large"),
    "heic of 3,600 tiles that lie": (lambda: heic(60, 60, coded=(8192, 8192)), CORRUPT),
    "heic that lacks a tile": (lambda: heic(3, 2, tiles=5), CORRUPT),
    "heic of another codec": (lambda: heic(kind=b"av01"), OTHER),
    "heic that is a video": (lambda: heic(brand=b"hevc")[:24] + b"\0\0\0\x08moov", OTHER),
    "members twice": (_twice, READ),
    "colspan of a billion": (lambda: html('<table><tr><td colspan="1000000000">x</table>'), READ),
    "html of a million levels": (lambda: html("<div>" * 1_000_000 + "x"), f"{READ} document_too_complex"),
    "mail of 1,000 levels": (lambda: multipart(1000), "document_too_complex"),
    "mail of 100,000 parts": (lambda: many_parts(100_000), "document_too_complex"),
    "mail of much base64": (_much_base64, LARGE),
    "emails in emails": (lambda: nested_emails(40, email_with()), READ),
    "gif before a zip": (lambda: b"GIF89a" + word_document(), OTHER),
}
