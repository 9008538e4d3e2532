"""Writes a copy without encryption of a file whose password was sent with it. Only that copy is ever stored."""

import io
import os
from typing import BinaryIO

import pikepdf
import pypdfium2
import pypdfium2.raw as pdfium

from .arena import write
from .detection import OLE, FileType
from .limits import DocumentLimits, Rejected, corrupt, too_large, wrong_password
from .office_passwords import decrypt_office
from .pdf import open_pdf

ENCRYPTED = "document_encrypted"
_PDF = "PDF"


def decrypt(document: BinaryIO, file_type: FileType, password: str, limits: DocumentLimits, arena: int) -> int:
    """Return the number of bytes of the copy. It is 0 for a file that opens without a password, which needs no copy.

    The copy is the same each time, so that the same file is the same document. Nothing in it tells the password.
    """
    if file_type == OLE:
        copy = decrypt_office(document, password)
    elif file_type.kind != "pdf" or not _needs_password(document):
        return 0
    elif "\0" in password:
        raise wrong_password(_PDF)  # PDFium would read what is before it.
    else:
        copy = _without_leftovers(_decrypted(document, password))
    if len(copy) > min(os.fstat(arena).st_size, limits.max_bytes):
        raise too_large("The file is too large to be decrypted.")
    write(arena, copy, 0)
    return len(copy)


def _needs_password(document: BinaryIO) -> bool:
    try:
        with open_pdf(document.fileno()):
            return False
    except Rejected as rejected:
        if rejected.code != ENCRYPTED:
            raise
        return True


def _decrypted(document: BinaryIO, password: str) -> io.BytesIO:
    saved = io.BytesIO()
    document.seek(0)
    try:
        pdf = pypdfium2.PdfDocument(document.read(), password=password)
    except pypdfium2.PdfiumError as error:
        raise (wrong_password(_PDF) if error.err_code == pdfium.FPDF_ERR_PASSWORD else _broken()) from error
    try:
        pdf.save(saved, flags=pdfium.FPDF_REMOVE_SECURITY)
    except pypdfium2.PdfiumError as error:
        raise _broken() from error
    finally:
        pdf.close()
    return saved


def _without_leftovers(saved: io.BytesIO) -> memoryview:
    """Drop what the copy does not use: PDFium leaves a check value of the password in it, and a random id."""
    copy = io.BytesIO()
    try:
        with pikepdf.open(saved) as pdf:
            pdf.save(copy, deterministic_id=True)
    except (pikepdf.PdfError, OSError, ValueError, RuntimeError) as error:
        raise _broken() from error
    return copy.getbuffer()


def _broken() -> Rejected:
    return corrupt("The PDF is damaged or incomplete and cannot be decrypted.")
