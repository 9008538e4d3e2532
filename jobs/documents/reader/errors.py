"""Errors for a document that cannot be read, and for a time when reading cannot be tried."""

REJECTION_CODES = frozenset(
    {
        "unsupported_type",
        "document_empty",
        "document_corrupt",
        "document_encrypted",
        "document_too_large",
        "too_many_pages",
        "image_too_large",
        "page_too_large",
        "document_too_complex",
    }
)


class DocumentRejected(Exception):
    """The document, or one page of it, cannot be used. The sender has to mend it; it is never retried."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail


class ReaderUnavailable(Exception):
    """No child process was free to open the document. Trying again later may work."""

    code = "reader_unavailable"

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail
