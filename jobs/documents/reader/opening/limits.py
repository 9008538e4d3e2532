"""The limits on documents and on the resources for reading them, and the refusals for the person who sent one."""

from dataclasses import dataclass

_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class DocumentLimits:
    max_bytes: int = 200 * _MIB
    max_pages: int = 2000
    max_page_pixels: int = 50_000_000
    """The most pixels of a page. A larger picture is refused; a PDF page is rendered smaller instead."""
    max_page_points: int = 14_400
    """The longest side of a PDF page, in 1/72 inch; the format's own limit is 200 inches."""
    max_text_chars: int = 2_000_000
    max_text_lines: int = 100_000
    max_items: int = 20_000
    """The most paragraphs, tables and the like of a page of an Office document, a web page or an email."""
    max_table_cells: int = 50_000
    max_table_places: int = 500_000
    """The most places in the grids of a page's tables, with a cell or without."""
    max_unpacked_bytes: int = 512 * _MIB
    """The most bytes that a request unpacks from an Office document."""
    render_dpi: int = 200
    max_wall_s: float = 90.0
    """The wall-clock time to read one page. A second is added for each 64 MiB of the document, here and below."""
    max_cpu_s: int = 30
    """The CPU time to read one page. It is below the wall-clock time, so that a slow page shares the processors."""
    max_memory_bytes: int = 2048 * _MIB
    """The address space to read one page, code included, and the mapped document not included."""
    max_inspect_wall_s: float = 8.0
    """The wall-clock time of an inspection, which draws nothing. The sender waits for it."""
    max_inspect_cpu_s: int = 5
    max_inspect_more_s: int = 32
    """The most seconds added for the document's size: enough for 5 GiB at 160 MiB a second."""
    max_inspect_memory_bytes: int = 1024 * _MIB
    """The address space of an inspection besides the document. Two kilobytes can unpack to data that fills it."""


class Rejected(Exception):
    """The document cannot be used, and the sender has to mend it."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


def unsupported(what: str, advice: str = "") -> Rejected:
    """Refuse a type. Without advice of its own, the answer lists what can be sent."""
    if advice:
        return Rejected("unsupported_type", f"The file is {what}, which is not supported. {advice}")
    return Rejected(
        "unsupported_type",
        f"The file is {what}, which is not supported. "
        "Send a PDF, an image (PNG, JPEG, TIFF, WebP, AVIF, HEIC), a Word, Excel or PowerPoint file "
        "(DOCX, XLSX, PPTX), a web page (HTML), an email (EML) or plain text.",
    )


def corrupt(what: str) -> Rejected:
    return Rejected("document_corrupt", f"{what} Export or scan the document again and upload the new file.")


def encrypted(what: str) -> Rejected:
    return Rejected("document_encrypted", f"{what} is password protected. Remove the password and upload it again.")


def password_needed(what: str) -> Rejected:
    return Rejected(
        "document_encrypted",
        f"The {what} is password protected. Send it by itself with its password in the field `password`, "
        "or remove the password.",
    )


def wrong_password(what: str) -> Rejected:
    return Rejected("wrong_password", f"The password does not open the {what}. Check it and send both again.")


def empty(what: str) -> Rejected:
    return Rejected("document_empty", f"{what} Upload a file with content.")


def too_many_pages(count: int | str, limits: DocumentLimits) -> Rejected:
    return Rejected(
        "too_many_pages",
        f"The document has {count} pages, but at most {limits.max_pages} are allowed. Split it and upload the parts.",
    )


def too_large(what: str) -> Rejected:
    return Rejected("document_too_large", f"{what} Split it and upload the parts.")


def too_complex(what: str) -> Rejected:
    return Rejected("document_too_complex", f"{what} Print it to a PDF and upload that file.")


def page_too_large(number: int, width: float, height: float, limits: DocumentLimits) -> Rejected:
    return Rejected(
        "page_too_large",
        f"Page {number} measures {width:.0f} x {height:.0f} points, but no side may exceed "
        f"{limits.max_page_points}. Print the document to a smaller paper size.",
    )


def image_too_large(width: int, height: int, limits: DocumentLimits) -> Rejected:
    return Rejected(
        "image_too_large",
        f"The image has {width} x {height} pixels, {width * height} in total, but at most "
        f"{limits.max_page_pixels} are allowed. Scale it down.",
    )


def no_such_page(number: int, count: int) -> Rejected:
    return corrupt(f"The document has {count} pages and page {number} does not exist.")
