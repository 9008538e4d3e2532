"""The limits on a document's size and on the resources for reading it."""

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
