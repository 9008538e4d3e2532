"""Reads documents without opening their bytes in this process, except short plain text, which has no parser."""

import importlib.util
import os
import signal
import stat
from collections.abc import Callable, Iterator, Set
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import structlog

from inference.core.calls import Call
from inference.core.contracts import Pixels, TextLine
from inference.sandbox import (
    Arena,
    ChildDied,
    ChildFailed,
    ChildLimits,
    ChildMisbehaved,
    ChildOutOfMemory,
    ChildTimedOut,
    Isolation,
    Program,
    RequestLimits,
    SandboxPool,
    SandboxUnavailable,
)
from inference.sandbox.sharing import QUICK_S

from .contents import Attachment, DocumentRejected, Inspection, Kind, PageContent, PageSize, ReaderUnavailable
from .opening.detection import HEAD_BYTES, TEXT, detect
from .opening.limits import DocumentLimits, Rejected
from .opening.plain_text import read_lines
from .replies import (
    BYTES_PER_PIXEL,
    PICTURE_SIGNATURES,
    InvalidReply,
    Json,
    PageReply,
    PictureReply,
    parse_attachments,
    parse_copy,
    parse_inspection,
    parse_page,
    parse_picture,
)

log = structlog.get_logger(__name__)

Answer = TypeVar("Answer")

_PICTURE_ROOM_BYTES = 64 << 20
_FONT_FOLDERS = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"))
_LIBRARIES = ("PIL", "pikepdf", "pypdfium2", "lxml", "zxingcpp", "pi_heif", "msoffcrypto", "olefile", "cryptography")
_PICTURED = frozenset({"pdf", "image", "docx", "pptx"})
"""The kinds of document whose pages may have pictures."""
_PIECE_BYTES = 1 << 20
_BYTES_A_SECOND = 64 << 20
"""The speed of a slow disk. Some documents have to be read from end to end before anything is known of them."""
SHORT_TEXT_BYTES = 64 << 10
"""The largest text that is decoded in this process, which is much quicker than a request to a child."""


@dataclass(frozen=True, slots=True)
class _Budget:
    """The resources that one request may use, and the time that it may wait for a free child."""

    wall_s: float
    cpu_s: int
    memory_bytes: int
    wait_s: float
    yields_after_s: float | None = None

    @property
    def request(self) -> RequestLimits:
        return RequestLimits(self.wall_s, self.cpu_s, self.memory_bytes, self.yields_after_s)


class DocumentReader:
    """A thread-safe reader: it opens one document per child at once, and serves tenants in turn."""

    def __init__(
        self,
        limits: DocumentLimits | None = None,
        *,
        children: int = 2,
        wait_s: float = 10.0,
        inspect_wait_s: float = 5.0,
        use_bubblewrap: bool = True,
        needs: Set[str] = frozenset(),
    ) -> None:
        """Create a reader that opens no document without the layers of `needs`.

        A call waits for a free child, with its thread, `wait_s` or `inspect_wait_s` at most; it is tried again later.
        """
        self.limits = limits or DocumentLimits()
        self._wait_s = wait_s
        self._inspect_wait_s = inspect_wait_s
        self._arena_bytes = self.limits.max_page_pixels * BYTES_PER_PIXEL + _PICTURE_ROOM_BYTES
        child_limits = ChildLimits(
            # This is enough to map the largest document. Each request gets only what its own document needs.
            memory_bytes=self.limits.max_memory_bytes + self.limits.max_bytes,
            file_bytes=self._arena_bytes,
        )
        self._pool = SandboxPool(
            _program(), child_limits, children=children, use_bubblewrap=use_bubblewrap, needs=needs
        )

    @property
    def isolation(self) -> Isolation | None:
        """Return what isolates documents, as the last child reported it, or None before the first report."""
        return self._pool.isolation

    def inspect(self, path: Path, call: Call | None = None) -> Inspection:
        """Return the type and page count without rendering. Raises DocumentRejected or CallCanceled."""
        with self._opened(path) as document:
            short = _inspect_short_text(document, self.limits)
            if short is not None:
                return short
            return self._ask(
                {"do": "inspect"},
                [document],
                lambda reply: parse_inspection(reply, self.limits),
                self._inspection_budget(os.fstat(document).st_size),
                call,
            )

    def inspect_short_text(self, path: Path) -> Inspection | None:
        """Inspect a short text without a child, or return None if it is long or may be anything else."""
        with self._opened(path) as document:
            return _inspect_short_text(document, self.limits)

    def read_page(
        self, path: Path, kind: Kind, number: int, call: Call | None = None, *, drawn: bool = False
    ) -> PageContent:
        """Return page `number`, counted from 1, of a document of `kind`. Raises CallCanceled.

        A page of a PDF that has text of its own comes without its picture, unless it is to be `drawn`.
        """
        return self.read_pages(path, kind, number, call, drawn=drawn)[0]

    def read_pages(
        self, path: Path, kind: Kind, number: int, call: Call | None = None, *, drawn: bool = False
    ) -> list[PageContent]:
        """Return a page like `read_page`, and those after it that were read with it, as all of the document had to be
        read.
        """
        if number < 1:
            raise ValueError(f"pages count from 1, not {number}")
        with self._opened(path) as document:
            if kind == "text" and (short := _short(document)):
                with _rejections():
                    lines = tuple(TextLine(line, None, 1.0) for line in read_lines(short, self.limits))
                    return [PageContent(0, 0, lines, None, None, None)]
            with self._arena(kind) as arena:
                return self._ask(
                    {"do": "read_page", "number": number, "drawn": drawn},
                    [document, arena.descriptor],
                    lambda reply: _page_contents(parse_page(reply, self.limits, arena.size_bytes), arena, drawn=drawn),
                    self._page_budget(os.fstat(document).st_size),
                    call,
                )

    def decode_picture(self, path: Path, call: Call | None = None) -> Pixels:
        """Return the pixels of a picture that `read_page` made and that has been stored since."""
        with self._opened(path) as document, self._arena("image") as arena:
            return self._ask(
                {"do": "decode_picture"},
                [document, arena.descriptor],
                lambda reply: _pixels(parse_picture(reply, self.limits), arena),
                self._page_budget(0),
                call,
            )

    def decrypt(self, path: Path, password: str, copy: Callable[[bytes], object], call: Call | None = None) -> bool:
        """Write a copy of a file that opens only with a password. Return False for a file that opens without one.

        The password is not kept: nothing logs the requests to a child. Raises DocumentRejected or CallCanceled.
        """
        with self._opened(path) as document, Arena(self._arena_bytes) as arena:
            size = self._ask(
                {"do": "decrypt", "password": password},
                [document, arena.descriptor],
                lambda reply: parse_copy(reply, arena.size_bytes),
                self._inspection_budget(os.fstat(document).st_size),
                call,
            )
            for piece in _pieces(arena, 0, size):
                copy(piece)
        return size > 0

    @contextmanager
    def attachments(self, path: Path, call: Call | None = None) -> Iterator["Attachments"]:
        """Take the attachments out of an email, all at once, for as long as the context is open."""
        with self._opened(path) as document, Arena(self._arena_bytes) as arena:
            found = self._ask(
                {"do": "read_attachments"},
                [document, arena.descriptor],
                lambda reply: parse_attachments(reply, arena.size_bytes),
                self._page_budget(os.fstat(document).st_size),
                call,
            )
            yield Attachments(found, arena)

    def wait_until_warm(self, wait_s: float) -> bool:
        return self._pool.wait_until_warm(wait_s)

    def wait_until_usable(self, wait_s: float) -> None:
        """Return when a child is ready. Raises SandboxError or OSError with the reason if no child is."""
        self._pool.wait_until_usable(wait_s)

    def child_pids(self) -> list[int]:
        return self._pool.pids()

    def close(self) -> None:
        self._pool.close()

    @contextmanager
    def _opened(self, path: Path) -> Iterator[int]:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            _refuse_size(os.fstat(descriptor), self.limits)
            yield descriptor
        finally:
            os.close(descriptor)

    def _arena(self, kind: Kind) -> Arena:
        return Arena(self._arena_bytes if kind in _PICTURED else 0)

    def _page_budget(self, document_bytes: int) -> _Budget:
        limits = self.limits
        more_s = document_bytes // _BYTES_A_SECOND
        return _Budget(
            limits.max_wall_s + more_s,
            limits.max_cpu_s + more_s,
            limits.max_memory_bytes + document_bytes,
            self._wait_s,
            QUICK_S,
        )

    def _inspection_budget(self, document_bytes: int) -> _Budget:
        limits = self.limits
        more_s = min(document_bytes // _BYTES_A_SECOND, limits.max_inspect_more_s)
        return _Budget(
            limits.max_inspect_wall_s + more_s,
            limits.max_inspect_cpu_s + more_s,
            min(limits.max_inspect_memory_bytes, limits.max_memory_bytes) + document_bytes,
            self._inspect_wait_s,
        )

    def _ask(
        self,
        request: Json,
        files: list[int],
        accept: Callable[[Json], Answer],
        budget: _Budget,
        call: Call | None = None,
    ) -> Answer:
        body = {**request, "limits": asdict(self.limits)}

        def ask() -> Answer:
            return self._pool.ask(body, files, accept=accept, limits=budget.request, wait_s=budget.wait_s, call=call)

        try:
            return _twice_if_killed(ask)
        except (ChildTimedOut, ChildOutOfMemory, ChildDied) as error:
            log.warning("document_crashed_child", error=str(error))
            raise _too_complex(budget) from error
        except ChildFailed as error:
            log.error("document_open_failed", error=str(error))
            raise _unreadable() from error
        except ChildMisbehaved as error:
            log.error("sandbox_child_misbehaved", error=str(error))
            raise _unreadable() from error
        except SandboxUnavailable as error:
            raise ReaderUnavailable(f"The document could not be opened now: {error}.") from error


@dataclass(frozen=True, slots=True)
class Attachments:
    """The attachments of an email, whose bytes are in memory that its child wrote."""

    found: tuple[Attachment, ...]
    _arena: Arena

    def pieces(self, number: int) -> Iterator[bytes]:
        """Return the bytes of the attachment with that number, counted from 1."""
        attachment = self.found[number - 1]
        return _pieces(self._arena, attachment.offset, attachment.offset + attachment.size_bytes)


def _pieces(arena: Arena, start: int, end: int) -> Iterator[bytes]:
    for offset in range(start, end, _PIECE_BYTES):
        piece = bytearray(min(_PIECE_BYTES, end - offset))
        arena.read_into(memoryview(piece), offset)
        yield bytes(piece)


def _program() -> Program:
    return Program(
        folder=Path(__file__).parent,
        module="opening",
        libraries=sorted({_installed(name) for name in _LIBRARIES}),
        readable=_FONT_FOLDERS,
    )


def _installed(package: str) -> Path:
    """Return the folder that a package is installed in, without running the package."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"{package} is not installed", name=package)
    return Path(spec.origin).parent.parent


def _twice_if_killed(ask: Callable[[], Answer]) -> Answer:
    """Call `ask`, and again after a SIGKILL, which comes from outside, such as from a lack of memory."""
    try:
        return ask()
    except ChildDied as error:
        if error.exit_status != -signal.SIGKILL:
            raise
    return ask()


def _refuse_size(status: os.stat_result, limits: DocumentLimits) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise ValueError("a document is a regular file")
    if status.st_size == 0:
        raise DocumentRejected("document_empty", "The file is empty. Upload a file with content.")
    if status.st_size > limits.max_bytes:
        raise DocumentRejected(
            "document_too_large",
            f"The file has {status.st_size} bytes, but at most {limits.max_bytes} are allowed. "
            "Split it and upload the parts.",
        )


def _short(document: int) -> bytes | None:
    """Return the whole document, or None if it is not short."""
    if os.fstat(document).st_size > SHORT_TEXT_BYTES:
        return None
    # This reads from the beginning and leaves the file's position there, from which a child may read.
    return os.pread(document, SHORT_TEXT_BYTES, 0)


def _inspect_short_text(document: int, limits: DocumentLimits) -> Inspection | None:
    short = _short(document)
    if short is None:
        return None
    with _rejections():
        if detect(short[:HEAD_BYTES]) != TEXT:
            return None
        read_lines(short, limits)
    return Inspection(TEXT.content_type, "text", (PageSize(0, 0),))


@contextmanager
def _rejections() -> Iterator[None]:
    try:
        yield
    except Rejected as rejected:
        raise DocumentRejected(rejected.code, rejected.detail) from rejected


def _page_contents(reply: PageReply, arena: Arena, *, drawn: bool) -> list[PageContent]:
    return [_page_content(page, arena, drawn=drawn) for page in (reply, *reply.ahead)]


def _page_content(reply: PageReply, arena: Arena, *, drawn: bool) -> PageContent:
    if reply.items is not None:
        lines = tuple(TextLine(line, None, 1.0) for item in reply.items for line in item.lines)
        return PageContent(0, 0, lines, None, None, None, items=reply.items, unread_pictures=reply.unread_pictures)
    if reply.picture_type is None:
        if drawn:
            raise InvalidReply("no picture of a page to be drawn")
        return PageContent(
            reply.width, reply.height, reply.lines, None, None, None, rules=reply.rules, findings=reply.findings
        )
    picture = bytearray(reply.picture_bytes)
    arena.read_into(memoryview(picture), reply.pixel_bytes)
    if not picture.startswith(PICTURE_SIGNATURES[reply.picture_type]):
        raise InvalidReply("the picture is not of its type")
    pixels = _pixels(reply, arena)
    picture_type = reply.picture_type
    return PageContent(
        reply.width,
        reply.height,
        reply.lines,
        bytes(picture),
        picture_type,
        pixels,
        reply.scans,
        reply.rules,
        findings=reply.findings,
    )


def _pixels(reply: PictureReply, arena: Arena) -> Pixels:
    pixels = np.empty((reply.height, reply.width, BYTES_PER_PIXEL), dtype=np.uint8)
    arena.read_into(pixels.reshape(-1).data, 0)
    return pixels


def _too_complex(budget: _Budget) -> DocumentRejected:
    return DocumentRejected(
        "document_too_complex",
        f"Reading the document needs more than {min(budget.wall_s, budget.cpu_s):g} s or "
        f"{budget.memory_bytes >> 20} MiB of memory. Print it to a new PDF or scan it, and upload that file.",
    )


def _unreadable() -> DocumentRejected:
    return DocumentRejected(
        "document_corrupt",
        "The document is damaged or not valid and cannot be read. Export or scan it again and upload the new file.",
    )
