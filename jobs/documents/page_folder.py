"""Reads the pages of the pictures and PDFs in a folder on this machine, each in the sandbox and one at a time."""

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path

from inference.core.contracts import Pixels
from jobs.documents.reader import DocumentRejected, Inspection, Kind
from jobs.documents.reading import reader
from tenants.core.progress import Progress

MAX_FILES = 1000
_DRAWN: tuple[Kind, ...] = ("pdf", "image")


class FolderInvalid(Exception):
    """The error for a folder whose pages cannot be read. The message says what to do."""


@dataclass(frozen=True, slots=True)
class FolderPage:
    """A page of a file in the folder."""

    path: Path
    kind: Kind
    number: int
    name: str
    """The path within the folder and the number, for the operator."""

    def pixels(self) -> Pixels:
        """Return the picture of the page. Raises DocumentRejected."""
        read = reader().read_page(self.path, self.kind, self.number)
        if read.pixels is None:
            read = reader().read_page(self.path, self.kind, self.number, drawn=True)
        assert read.pixels is not None, "PDFs and pictures have pictures"
        return read.pixels


def distinct_pages(folder: Path, *, limit: int, progress: Progress) -> dict[str, FolderPage]:
    """Return pages by the SHA-256 of their pixels: the first of each document, then the second of each, and so on.

    There are at most `limit`. What cannot be read is left out, and `progress` says why.
    """
    found: dict[str, FolderPage] = {}
    for page in _in_turns(_documents(folder, progress)):
        if len(found) == limit:
            break
        progress.within(f"looked at {len(found)} pages")
        try:
            sha256 = _sha256(page.pixels())
        except DocumentRejected as rejected:
            progress.stage(f"left out {page.name}: {rejected.detail}")
            continue
        if sha256 in found:
            progress.stage(f"left out {page.name}: the same as {found[sha256].name}.")
        found.setdefault(sha256, page)
    return found


def _documents(folder: Path, progress: Progress) -> list[Iterator[FolderPage]]:
    files = _files(folder)
    documents = []
    for number, path in enumerate(files):
        progress.within(f"looked into {number} of {len(files)} files")
        name = path.relative_to(folder)
        try:
            inspected = reader().inspect(path)
        except (DocumentRejected, OSError) as error:
            reason = error.detail if isinstance(error, DocumentRejected) else f"{error.strerror}."
            progress.stage(f"left out {name}: {reason}")
            continue
        if inspected.kind not in _DRAWN:
            progress.stage(f"left out {name}: it is neither a PDF nor a picture.")
            continue
        documents.append(_pages(path, name, inspected))
    return documents


def _pages(path: Path, name: Path, inspected: Inspection) -> Iterator[FolderPage]:
    for number in range(1, inspected.pages_total + 1):
        yield FolderPage(path, inspected.kind, number, f"{name}, page {number}")


def _files(folder: Path) -> Sequence[Path]:
    """Return the files of the folder and of those in it, without hidden ones."""
    if not folder.exists():
        raise FolderInvalid(f"There is no folder {folder}.")
    if not folder.is_dir():
        raise FolderInvalid(f"{folder} is a file. Give the folder of the pictures and PDFs.")
    files: list[Path] = []
    for parent, folders, names in os.walk(folder, onerror=_refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        paths = (Path(parent, name) for name in sorted(names) if not name.startswith("."))
        files += [path for path in paths if path.is_file()]
        if len(files) > MAX_FILES:
            raise FolderInvalid(f"{folder} has more than {MAX_FILES} files. Give a folder with a sample of them.")
    if not files:
        raise FolderInvalid(f"{folder} is empty. Put pictures and PDFs of pages into it.")
    return files


def _refuse(error: OSError) -> None:
    raise FolderInvalid(f"{error.filename} cannot be read: {error.strerror}.") from error


def _in_turns(documents: Iterable[Iterator[FolderPage]]) -> Iterator[FolderPage]:
    return (page for page in chain.from_iterable(zip_longest(*documents)) if page is not None)


def _sha256(pixels: Pixels) -> str:
    return hashlib.sha256(repr(pixels.shape).encode() + pixels.tobytes()).hexdigest()
