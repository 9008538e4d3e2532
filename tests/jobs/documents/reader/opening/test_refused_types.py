"""Test that each type that is not read is named exactly, with what to send instead."""

import gzip
import io
import os

import pytest

from jobs.documents.reader.opening.containers import office_type, refuse_old_office
from jobs.documents.reader.opening.detection import TEXT, detect
from jobs.documents.reader.opening.formats.package import Package
from jobs.documents.reader.opening.limits import DocumentLimits, Rejected
from jobs.documents.reader.opening.ole_streams import top_streams
from tests.samples import office
from tests.samples.images import drawn_page, encoded
from tests.samples.old_office import old_office

STARTS: dict[str, tuple[bytes, str]] = {
    "gzip": (gzip.compress(b"x"), "compressed with gzip, which is not supported. Unpack it"),
    "tar": (bytes(257) + b"ustar" + bytes(20), "a tar archive"),
    "rtf": (b"{\\rtf1 hello}", "an RTF document, which is not supported. Save it as DOCX or PDF."),
    "gif": (encoded(drawn_page("x", (60, 40)), "GIF"), "a GIF image"),
    "bmp": (encoded(drawn_page("x", (60, 40)), "BMP"), "a bitmap image (BMP), which is not supported. Save it as JPEG"),
    "ppm": (encoded(drawn_page("x", (60, 40)), "PPM"), "a portable image (PNM)"),
    "jp2": (encoded(drawn_page("x", (60, 40)), "JPEG2000"), "a JPEG 2000 image"),
    "emf": (b"\1\0\0\0" + bytes(36) + b" EMF" + bytes(40), "a Windows metafile (.emf)"),
    "dicom": (bytes(128) + b"DICM" + bytes(40), "a medical image (DICOM)"),
    "mbox": (b"From a@b.c Mon Jan  1 10:00:00 2026\nFrom: a@b.c\n\nhi", "a mailbox (MBOX)"),
    "signed": (b"\x30\x82\x10\x00\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02" + bytes(9), "signed or encrypted"),
    "word 2003": (b'<?xml version="1.0"?><?mso-application progid="Word.Document"?><w/>', "a Word 2003 XML document"),
    "svg": (b"<svg></svg>", "an SVG image"),
    "xml": (b'<?xml version="1.0"?><invoice/>', "XML or other markup"),
    "exe": (b"MZ\x00\x01" + bytes(60), "a program of Windows"),
    "film": (b"\0\0\0\x18ftypisom\0\0\2\0isommp41", "a video or an unknown kind of picture"),
}


@pytest.mark.parametrize("name", STARTS)
def test_type_is_named_by_its_start(name: str) -> None:
    data, said = STARTS[name]
    with pytest.raises(Rejected) as raised:
        detect(data)
    assert raised.value.code == "unsupported_type"
    assert f"The file is {said}" in raised.value.detail


@pytest.mark.parametrize(
    "text",
    [
        b"MZ is short for Mark Zbikowski",
        b"BZh is a signature",
        b"ID3 tags are explained here",
        b"BM the shop for all of us",
        b"P4 is a version control system",
        b"Hello, see %PDF-1.7 for details",
        b"From here on it goes well",
        b"x" * 40 + b" EMF is a format of Windows",
    ],
)
def test_text_that_begins_like_another_type_is_text(text: bytes) -> None:
    assert detect(text) == TEXT


OLD = {
    "WordDocument": "an old Word file (.doc), which is not supported. Save it as DOCX or PDF.",
    "Workbook": "an old Excel file (.xls), which is not supported. Save it as XLSX or PDF.",
    "PowerPoint Document": "an old PowerPoint file (.ppt), which is not supported. Save it as PPTX or PDF.",
    "__properties_version1.0": "an Outlook message (.msg), which is not supported. Save the email as EML.",
    "Other": "an old file of Windows of an unknown kind",
}


def refusal_of_old(data: bytes) -> Rejected:
    with io.FileIO(_memory_file(data), "rb") as file, pytest.raises(Rejected) as raised:
        refuse_old_office(file, has_password=False)
    return raised.value


def _memory_file(data: bytes) -> int:
    descriptor = os.memfd_create("old")
    os.write(descriptor, data)
    return descriptor


@pytest.mark.parametrize("stream", OLD)
def test_old_office_file_is_named_by_its_streams(stream: str) -> None:
    refusal = refusal_of_old(old_office("\x05SummaryInformation", stream))
    assert refusal.code == "unsupported_type"
    assert OLD[stream] in refusal.detail


def test_workbook_within_an_old_word_file_does_not_count() -> None:
    data = old_office("ObjectPool", "WordDocument", within={"ObjectPool": "EncryptedPackage"})
    assert top_streams(memoryview(data)) == {"ObjectPool", "WordDocument"}
    assert "(.doc)" in refusal_of_old(data).detail


def test_new_office_file_with_a_password_is_encrypted() -> None:
    assert refusal_of_old(old_office("EncryptionInfo", "EncryptedPackage")).code == "document_encrypted"


@pytest.mark.parametrize("cut", [0, 8, 100, 511, 513, 1100, 1200])
def test_damaged_container_is_refused(cut: int) -> None:
    assert refusal_of_old(old_office("WordDocument")[:cut] or b"\0").code == "unsupported_type"


def test_directory_that_leads_to_itself_ends() -> None:
    data = bytearray(old_office("WordDocument"))
    data[512 + 4 : 512 + 8] = (1).to_bytes(4, "little")  # The next sector of the directory is itself.
    data[1024 + 128 + 68 : 1024 + 128 + 76] = (1).to_bytes(4, "little") * 2  # An entry stands beside itself.
    assert "WordDocument" in top_streams(memoryview(bytes(data)))


OPEN_DOCUMENT = "application/vnd.oasis.opendocument"
ZIPS: dict[str, tuple[dict[str, str | bytes], str]] = {
    "odt": ({"mimetype": f"{OPEN_DOCUMENT}.text", "content.xml": "<x/>"}, "an OpenDocument text (.odt)"),
    "ods": ({"mimetype": f"{OPEN_DOCUMENT}.spreadsheet-template"}, "an OpenDocument spreadsheet (.ods)"),
    "odp": ({"mimetype": f"{OPEN_DOCUMENT}.presentation"}, "an OpenDocument presentation (.odp)"),
    "epub": ({"mimetype": "application/epub+zip"}, "an EPUB book"),
    "iwork": ({"Index/Document.iwa": "x"}, "a document of Apple iWork"),
    "jar": ({"META-INF/MANIFEST.MF": "x"}, "a Java archive"),
    "zip": ({"a.txt": "x"}, "a ZIP archive without an Office document in it"),
    "a lie about the type": ({"mimetype": "x" * 5_000_000}, "a ZIP archive without"),
}


@pytest.mark.parametrize("name", ZIPS)
def test_zip_file_is_named_by_what_is_in_it(name: str) -> None:
    parts, said = ZIPS[name]
    with pytest.raises(Rejected) as raised:
        office_type(Package(io.BytesIO(office.package(parts)), DocumentLimits()))
    assert f"The file is {said}" in raised.value.detail
