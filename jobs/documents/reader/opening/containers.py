"""Tells apart the files that are containers: ZIP files, and those of old Office documents."""

import mmap
from typing import BinaryIO

from .detection import OFFICE, FileType
from .formats.package import Package
from .limits import password_needed
from .ole_streams import top_streams
from .refused_types import refusal_of_old_office, refusal_of_zip

_ENCRYPTED_PACKAGE = "EncryptedPackage"
_LONGEST_MIMETYPE = 200


def office_type(package: Package) -> FileType:
    """Return the type of the Office document in a ZIP file, by what it says of its main part."""
    content_type = package.content_types.of(package.main_part) if package.main_part else ""
    name = content_type.removesuffix("+xml").removesuffix(".main")
    for file_type in OFFICE:
        if file_type.content_type.lower() == name.lower():
            return file_type
    mimetype = package.open("mimetype").read(_LONGEST_MIMETYPE) if package.has("mimetype") else b""
    raise refusal_of_zip(mimetype, package.parts, name)


def refuse_old_office(document: BinaryIO, *, has_password: bool) -> None:
    """Refuse a container of old Office documents, unless it is a new one with a password, and that was sent."""
    with mmap.mmap(document.fileno(), 0, access=mmap.ACCESS_READ) as whole, memoryview(whole) as content:
        streams = top_streams(content)
    if _ENCRYPTED_PACKAGE in streams:
        if not has_password:
            raise password_needed("Office document")
        return
    raise refusal_of_old_office(streams)
