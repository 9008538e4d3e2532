"""Reasons why a document is refused, with messages for the person who sent it."""

from .limits import DocumentLimits


class Rejected(Exception):
    """The document cannot be used, and the sender has to mend it."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


def unsupported(what: str) -> Rejected:
    return Rejected(
        "unsupported_type",
        f"The file's content is {what}, which is not supported. "
        "Send a PDF, PNG, JPEG, TIFF or WebP file, or plain text.",
    )


def corrupt(what: str) -> Rejected:
    return Rejected("document_corrupt", f"{what} Export or scan the document again and upload the new file.")


def encrypted() -> Rejected:
    return Rejected(
        "document_encrypted", "The PDF is password protected. Remove the password and upload it again."
    )


def empty(what: str) -> Rejected:
    return Rejected("document_empty", f"{what} Upload a file with content.")


def too_many_pages(count: int | str, limits: DocumentLimits) -> Rejected:
    return Rejected(
        "too_many_pages",
        f"The document has {count} pages, but at most {limits.max_pages} are allowed. "
        "Split it and upload the parts.",
    )


def too_large(what: str) -> Rejected:
    return Rejected("document_too_large", f"{what} Split it and upload the parts.")


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
