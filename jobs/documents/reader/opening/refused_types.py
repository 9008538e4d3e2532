"""Names the types of files that are not read, and says what to send instead."""

import re
from collections.abc import Set

from .limits import Rejected, unsupported

AS_JPEG, AS_PDF, AS_DOCX, AS_XLSX, AS_PPTX, AS_EML = (
    "Save it as JPEG or PNG.",
    "Save it as PDF.",
    "Save it as DOCX or PDF.",
    "Save it as XLSX or PDF.",
    "Save it as PPTX or PDF.",
    "Save the email as EML.",
)
UNPACK = "Unpack it and send the documents in it."
_SCAN = "Export or scan the document as PDF."

_SIGNATURES: tuple[tuple[int, bytes, str, str], ...] = (
    (0, b"PK\x05\x06", "an empty ZIP archive", ""),
    (0, b"\x1f\x8b", "compressed with gzip", UNPACK),
    (0, b"BZh", "compressed with bzip2", UNPACK),
    (0, b"\xfd7zXZ\x00", "compressed with xz", UNPACK),
    (0, b"\x28\xb5\x2f\xfd", "compressed with Zstandard", UNPACK),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", UNPACK),
    (0, b"Rar!", "a RAR archive", UNPACK),
    (0, b"MSCF", "a Windows cabinet (.cab)", UNPACK),
    (257, b"ustar", "a tar archive", UNPACK),
    (0, b"{\\rtf", "an RTF document", AS_DOCX),
    (0, b"\xffWPC", "a WordPerfect document", AS_DOCX),
    (0, b"%!", "PostScript", AS_PDF),
    (0, b"\xc5\xd0\xd3\xc6", "PostScript (EPS)", AS_PDF),
    (0, b"AT&TFORM", "a DjVu document", AS_PDF),
    (0, b"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d", "a OneNote section (.one)", AS_PDF),
    (0, b"SIMPLE  =", "a FITS image", AS_JPEG),
    (0, b"GIF8", "a GIF image", AS_JPEG),
    (0, b"\x00\x00\x01\x00", "an icon (.ico)", AS_JPEG),
    (0, b"icns", "an icon of macOS (.icns)", AS_JPEG),
    (0, b"\x00\x00\x00\x0cjP  ", "a JPEG 2000 image", AS_JPEG),
    (0, b"\x00\x00\x00\x0cJXL ", "a JPEG XL image", AS_JPEG),
    (0, b"\xff\x0a", "a JPEG XL image", AS_JPEG),
    (0, b"8BPS", "a Photoshop image (.psd)", AS_JPEG),
    (0, b"\xd7\xcd\xc6\x9a", "a Windows metafile (.wmf)", AS_JPEG),
    (40, b" EMF", "a Windows metafile (.emf)", AS_JPEG),
    (128, b"DICM", "a medical image (DICOM)", AS_JPEG),
    (0, b"\x78\x9f\x3e\x22", "a winmail.dat file of Outlook", "Ask the sender for the attachments in it."),
    (0, b"!BDN", "an Outlook mailbox (.pst)", "Save the emails in it as EML."),
    (0, b"PAR1", "a Parquet table", "Save it as XLSX or CSV."),
    (0, b"SQLite format 3\x00", "an SQLite database", ""),
    (0, b"ID3", "a sound file (MP3)", ""),
    (0, b"OggS", "a sound or video file (Ogg)", ""),
    (8, b"WAVE", "a sound file (WAV)", ""),
    (0, b"\x7fELF", "a program", ""),
    (0, b"MZ", "a program of Windows", ""),
    (0, b"L\x00\x00\x00\x01\x14\x02\x00", "a Windows shortcut (.lnk)", "Send the file that it leads to."),
)
_LETTERS = (b"BZh", b"MZ", b"ID3", b"PAR1", b"icns", b"MSCF", b"!BDN", b"OggS", b"WAVE", b" EMF", b"DICM", b"ustar")
_NOT_TEXT = frozenset({*_LETTERS, b"\xff\x0a"})
"""The signatures with which a text could begin too, so that a byte which no text has must follow."""
_BITMAP = re.compile(rb"BM.{4}\x00{4}.{4}[\x0c\x28\x38\x40\x6c\x7c]\x00{3}", re.DOTALL)
_PORTABLE = re.compile(rb"P[4-6]\s+(?:#[^\n]*\n)?\d+\s+\d+\s")
_SIGNED = re.compile(rb"\x30[\x80-\x84].{0,4}\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07", re.DOTALL)
_MAILBOX = re.compile(rb"From \S+ +\w{3} \w{3} +\d{1,2} \d\d:\d\d:\d\d \d{4}")
_PATTERNS: tuple[tuple[re.Pattern[bytes], str, str], ...] = (
    (_BITMAP, "a bitmap image (BMP)", AS_JPEG),
    (_PORTABLE, "a portable image (PNM)", AS_JPEG),
    (_SIGNED, "signed or encrypted (PKCS #7)", "Take the document out of it."),
    (_MAILBOX, "a mailbox (MBOX)", "Save the emails in it as EML."),
)

_MARKUP: tuple[tuple[bytes, str, str], ...] = (
    (b"Word.Document", "a Word 2003 XML document", AS_DOCX),
    (b"Excel.Sheet", "an Excel 2003 XML workbook", AS_XLSX),
    (b"opendocument:xmlns:office", "a flat OpenDocument file", "Save it as DOCX, XLSX, PPTX or PDF."),
    (b"<svg", "an SVG image", AS_JPEG),
)

_OLD_OFFICE: tuple[tuple[str, str, str], ...] = (
    ("WordDocument", "an old Word file (.doc)", AS_DOCX),
    ("Workbook", "an old Excel file (.xls)", AS_XLSX),
    ("Book", "an old Excel file (.xls)", AS_XLSX),
    ("PowerPoint Document", "an old PowerPoint file (.ppt)", AS_PPTX),
    ("__properties_version1.0", "an Outlook message (.msg)", AS_EML),
    ("VisioDocument", "a Visio drawing (.vsd)", AS_PDF),
    ("Quill", "a Publisher document (.pub)", AS_PDF),
    ("MatOST", "a Works document (.wps)", AS_DOCX),
    ("Catalog", "a cache of pictures of Windows (Thumbs.db)", "Send the pictures themselves."),
)

_OPEN_DOCUMENTS = {
    b"application/vnd.oasis.opendocument.text": ("an OpenDocument text (.odt)", AS_DOCX),
    b"application/vnd.oasis.opendocument.spreadsheet": ("an OpenDocument spreadsheet (.ods)", AS_XLSX),
    b"application/vnd.oasis.opendocument.presentation": ("an OpenDocument presentation (.odp)", AS_PPTX),
    b"application/vnd.oasis.opendocument.graphics": ("an OpenDocument drawing (.odg)", AS_PDF),
    b"application/epub+zip": ("an EPUB book", AS_PDF),
}
_MEMBERS: tuple[tuple[str, str, str], ...] = (
    ("Index/Document.iwa", "a document of Apple iWork (Pages, Numbers or Keynote)", "Export it as PDF."),
    ("index.xml.gz", "an old Pages document", "Export it as DOCX or PDF."),
    ("AndroidManifest.xml", "an Android app", ""),
    ("META-INF/MANIFEST.MF", "a Java archive", ""),
    ("FixedDocSeq.fdseq", "an XPS document", AS_PDF),
    ("FixedDocumentSequence.fdseq", "an XPS document", AS_PDF),
    ("doc.kml", "a map (KMZ)", ""),
)


def refusal_by_start(head: bytes) -> Rejected | None:
    """Return the refusal of a file that begins like one of a type that is not read."""
    for offset, signature, what, advice in _SIGNATURES:
        if head.startswith(signature, offset) and (signature not in _NOT_TEXT or b"\x00" in head):
            return unsupported(what, advice)
    for pattern, what, advice in _PATTERNS:
        if pattern.match(head):
            return unsupported(what, advice)
    return None


def refusal_of_markup(letters: bytes) -> Rejected:
    for sign, what, advice in _MARKUP:
        if sign in letters:
            return unsupported(what, advice)
    return unsupported("XML or other markup", "Save it as PDF or as plain text.")


def refusal_of_old_office(streams: Set[str]) -> Rejected:
    for stream, what, advice in _OLD_OFFICE:
        if stream in streams:
            return unsupported(what, advice)
    return unsupported("an old file of Windows of an unknown kind", _SCAN)


def refusal_of_zip(mimetype: bytes, members: Set[str], main_type: str) -> Rejected:
    """Return the refusal of a ZIP file that is no Office document that is read."""
    if found := _OPEN_DOCUMENTS.get(mimetype.strip().removesuffix(b"-template")):
        return unsupported(*found)
    if "sheet.binary" in main_type:
        return unsupported("a binary Excel workbook (.xlsb)", AS_XLSX)
    if "visio" in main_type:
        return unsupported("a Visio drawing (.vsdx)", AS_PDF)
    for member, what, advice in _MEMBERS:
        if member.lower() in members:
            return unsupported(what, advice)
    if main_type:
        return unsupported("an Office document of another kind", _SCAN)
    return unsupported("a ZIP archive without an Office document in it", UNPACK)
