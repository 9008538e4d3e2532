"""Tells apart the files that are containers: ZIP files, and those of old Office documents."""

import mmap
from typing import BinaryIO, NoReturn

from .detection import OFFICE, FileType
from .formats.package import Package
from .limits import encrypted, unsupported

_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")


def office_type(package: Package) -> FileType:
    """Return the type of the Office document in a ZIP file, by what it says of its main part."""
    content_type = package.content_types.of(package.main_part) if package.main_part else ""
    name = content_type.removesuffix("+xml").removesuffix(".main")
    for file_type in OFFICE:
        if file_type.content_type.lower() == name.lower():
            return file_type
    if "sheet.binary" in name:
        raise unsupported("a binary Excel workbook (XLSB; save it as XLSX)")
    if package.has("mimetype"):
        raise unsupported("an OpenDocument or EPUB file (save it as DOCX, XLSX, PPTX or PDF)")
    raise unsupported("a ZIP archive or an Office document of another kind")


def refuse_old_office(document: BinaryIO) -> NoReturn:
    """Refuse a container of old Office documents. One with a password is a container too."""
    with mmap.mmap(document.fileno(), 0, access=mmap.ACCESS_READ) as whole:
        if whole.find(_ENCRYPTED_PACKAGE) >= 0:
            raise encrypted("The Office document")
    raise unsupported("an old Office document or Outlook message (save it as DOCX, XLSX, PPTX or EML)")
