"""How large a document may be."""

from dataclasses import dataclass

_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class DocumentLimits:
    max_bytes: int = 200 * _MIB
    max_pages: int = 2000
    max_page_pixels: int = 50_000_000
    """A picture over it is refused; a PDF page is rendered at a lower resolution to keep within it."""
    max_page_points: int = 14_400
    """The longest side of a PDF page, in 1/72 inch; the format's own limit is 200 inches."""
    max_text_chars: int = 2_000_000
    max_text_lines: int = 100_000
    render_dpi: int = 200
    max_wall_s: float = 90.0
    """Wall-clock time to read one page; a second more for each 64 MiB of the document, here and below."""
    max_cpu_s: int = 30
    """Less than that: a page that takes long leaves the processors to others, and must not fail for that."""
    max_memory_bytes: int = 2048 * _MIB
    """Address space, code counted in. Besides the document itself, which is mapped and never read in whole."""
    max_inspect_wall_s: float = 8.0
    """An inspection draws nothing, and the sender waits for it."""
    max_inspect_cpu_s: int = 5
    max_inspect_more_s: int = 32
    """Of those seconds more: enough for 5 GiB from a disk that gives 160 MiB a second."""
    max_inspect_memory_bytes: int = 1024 * _MIB
    """Besides the document itself. Two kilobytes can unpack to what fills it, but not take long to."""
