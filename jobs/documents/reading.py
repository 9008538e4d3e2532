"""This process's reader of documents, made on first use and closed at exit."""

import atexit
import threading
from functools import cache

from django.conf import settings

from jobs.documents.reader import DocumentLimits, DocumentReader

_making = threading.Lock()


def reader() -> DocumentReader:
    # Two that were made at once would each have their children.
    with _making:
        return _made()


@cache
def _made() -> DocumentReader:
    made = DocumentReader(
        DocumentLimits(
            max_bytes=max(settings.MAAS_MAX_UPLOAD_BYTES, settings.MAAS_MAX_RESUMABLE_BYTES),
            max_pages=settings.MAAS_MAX_PAGES,
            max_page_pixels=settings.MAAS_MAX_PAGE_PIXELS,
            render_dpi=settings.MAAS_RENDER_DPI,
        ),
        children=settings.MAAS_READER_CHILDREN,
    )
    atexit.register(made.close)
    return made
