"""Opens the ZIP package of an Office document within limits of our own, whatever its directory says."""

import io
import posixpath
import zipfile
import zlib
from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from typing import IO, Any, BinaryIO

from ..limits import DocumentLimits, corrupt, encrypted, too_complex, too_large
from .xml_stream import Element, attribute, child, local_name, whole

MAX_MEMBERS = 10_000
CONTENT_TYPES = "[Content_Types].xml"
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError, KeyError)
"""The errors that the standard library raises for archives that break the format's rules."""
_END = b"PK\x05\x06"
_END_BYTES = 22
_LONGEST_COMMENT = 65_535
_ENCRYPTED = 0x1


@dataclass(frozen=True, slots=True)
class Relation:
    type: str
    """The last part of the relation's type, such as `slide`."""
    part: str
    """The name of the part that it leads to."""


class Package:
    """The parts of a document. All that is unpacked in one request counts against one limit."""

    def __init__(self, document: BinaryIO, limits: DocumentLimits) -> None:
        _refuse_many_members(document)
        document.seek(0)
        try:
            self._zip = zipfile.ZipFile(document)
        except _BROKEN as error:
            raise _damaged() from error
        self._left = limits.max_unpacked_bytes
        self._limits = limits
        self._names = {name.lower().lstrip("/"): name for name in self._zip.namelist()}

    def has(self, part: str) -> bool:
        return part.lower() in self._names

    @property
    def parts(self) -> Set[str]:
        """The names of all parts, in small letters."""
        return self._names.keys()

    def open(self, part: str) -> BinaryIO:
        """Open a part to be read once."""
        name = self._names.get(part.lower())
        if name is None:
            raise corrupt(f"The document refers to a part that it lacks, {part[:80]!r}.")
        if self._zip.getinfo(name).flag_bits & _ENCRYPTED:
            raise encrypted("The document")
        try:
            return io.BufferedReader(_Counted(self, self._zip.open(name)))
        except _BROKEN as error:
            raise _damaged() from error

    def read_xml(self, part: str) -> Element:
        return whole(self.open(part))

    def spend(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            most = self._limits.max_unpacked_bytes >> 20
            raise too_large(f"The document unpacks to more than the {most} MiB that are allowed.")

    @cached_property
    def content_types(self) -> "ContentTypes":
        if not self.has(CONTENT_TYPES):
            return ContentTypes({}, {})
        parts, endings = {}, {}
        for entry in self.read_xml(CONTENT_TYPES):
            content_type = entry.get("ContentType", "")
            if local_name(entry) == "Override":
                parts[entry.get("PartName", "").lower().lstrip("/")] = content_type
            elif local_name(entry) == "Default":
                endings[entry.get("Extension", "").lower()] = content_type
        return ContentTypes(parts, endings)

    @cached_property
    def main_part(self) -> str:
        """Return the name of the part that the document begins with. It is empty if there is none."""
        relations = self.relations_of("")
        return next((found.part for found in relations.values() if found.type == "officeDocument"), "")

    def relations_of(self, part: str) -> Mapping[str, Relation]:
        """Return by id where a part leads to within the document. Links to elsewhere are left out, never followed."""
        folder, name = posixpath.split(part)
        listed = posixpath.join(folder, "_rels", f"{name}.rels")
        if not self.has(listed):
            return {}
        found = {}
        for entry in self.read_xml(listed):
            target = entry.get("Target", "")
            if entry.get("TargetMode", "").lower() == "external" or not target:
                continue
            at = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
            found[entry.get("Id", "")] = Relation(entry.get("Type", "").rpartition("/")[2], at)
        return found

    def part_of_type(self, part: str, type_: str) -> str | None:
        """Return the part of a type that a part leads to, if the document has it."""
        for relation in self.relations_of(part).values():
            if relation.type == type_ and self.has(relation.part):
                return relation.part
        return None


@dataclass(frozen=True, slots=True)
class ContentTypes:
    parts: Mapping[str, str]
    endings: Mapping[str, str]

    def of(self, part: str) -> str:
        part = part.lower()
        return self.parts.get(part) or self.endings.get(part.rpartition(".")[2], "")


class _Counted(io.RawIOBase):
    """A part that is being unpacked. Its bytes are counted as they come, since its stated size may be a lie."""

    def __init__(self, package: Package, part: IO[bytes]) -> None:
        self._package = package
        self._part = part

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._part.read(len(buffer))
        except _BROKEN as error:
            raise _damaged() from error
        self._package.spend(len(data))
        buffer[: len(data)] = data
        return len(data)


def property_of(element: Element | None, *path: str) -> str | None:
    """Return the value of the property at a path of local names."""
    found = child(element, *path)
    return None if found is None else attribute(found, "val")


def _refuse_many_members(document: BinaryIO) -> None:
    """Refuse a directory with very many members before it is read into memory."""
    size = document.seek(0, io.SEEK_END)
    document.seek(max(0, size - _END_BYTES - _LONGEST_COMMENT))
    tail = document.read(_END_BYTES + _LONGEST_COMMENT)
    at = tail.rfind(_END)
    if at < 0 or len(tail) < at + _END_BYTES:
        raise _damaged()
    members = int.from_bytes(tail[at + 10 : at + 12], "little")
    directory_bytes = int.from_bytes(tail[at + 12 : at + 16], "little")
    if members > MAX_MEMBERS or directory_bytes > MAX_MEMBERS << 9:
        raise too_complex(f"The document is made of more than {MAX_MEMBERS} parts.")


def _damaged() -> Exception:
    return corrupt("The document is damaged or incomplete and cannot be unpacked.")
