"""Finds the picture in a HEIC file by the boxes of its container. It decodes nothing, and trusts no length."""

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO

from .limits import corrupt, unsupported

MAX_META_BYTES = 4 << 20
"""The most bytes of the description of all pictures in a file. Those of phones have about 4 KiB."""
MAX_ITEMS = 5_000
"""The most pictures and tiles of a file. A photo of 50 megapixels has about 200 tiles."""
_MAX_TOP_BOXES = 1_000

Box = tuple[bytes, memoryview]
"""The type of a box and its content."""
Extent = tuple[int, int, int]
"""Where data is: 0 for the file or 1 for the box `idat`, then the offset and the length."""


@dataclass(frozen=True, slots=True)
class Item:
    type: bytes
    properties: Sequence[Box]
    extents: Sequence[Extent]

    def property(self, type_: bytes) -> memoryview | None:
        return next((content for name, content in self.properties if name == type_), None)


@dataclass(frozen=True, slots=True)
class Items:
    """All pictures, tiles and other data in a file."""

    primary: int
    by_id: Mapping[int, Item]
    references: Mapping[tuple[bytes, int], Sequence[int]]
    """The ids that an item refers to, by the type of the reference and the item's own id."""
    _file: IO[bytes]
    _idat: memoryview

    def item(self, id_: int) -> Item:
        found = self.by_id.get(id_)
        if found is None:
            raise damaged()
        return found

    def data(self, item: Item, max_bytes: int) -> bytes:
        """Return the data of an item. Raises Rejected if the file does not have all of it."""
        if not item.extents or sum(length for _, _, length in item.extents) > max_bytes:
            raise damaged()
        pieces = []
        for source, offset, length in item.extents:
            if source:
                piece = bytes(self._idat[offset : offset + length])
            else:
                self._file.seek(offset)
                piece = self._file.read(length)
            if len(piece) != length or not length:
                raise damaged()
            pieces.append(piece)
        return b"".join(pieces)


def read_items(file: IO[bytes]) -> Items:
    meta = _meta_of(file)
    try:
        return _items_of(meta, file)
    except (struct.error, IndexError) as error:
        raise damaged() from error


def damaged() -> Exception:
    return corrupt("The HEIC picture is damaged or incomplete and cannot be decoded.")


def _meta_of(file: IO[bytes]) -> memoryview:
    """Return the content of the box that describes all items, without its version."""
    file_bytes = file.seek(0, 2)
    at, has_film = 0, False
    for _ in range(_MAX_TOP_BOXES):
        file.seek(at)
        header = file.read(16)
        if len(header) < 8:
            break
        size, name = struct.unpack(">I4s", header[:8])
        start = at + 8
        if size == 1 and len(header) == 16:
            size, start = int.from_bytes(header[8:], "big"), at + 16
        end = at + size if size else file_bytes
        if end < start or end > file_bytes:
            break
        if name == b"meta":
            if end - start > MAX_META_BYTES:
                break
            file.seek(start + 4)
            return memoryview(file.read(end - start - 4))
        at, has_film = end, has_film or name == b"moov"
    raise unsupported("a video without a still picture", "Save a picture of it as JPEG.") if has_film else damaged()


def boxes(content: memoryview) -> Iterator[Box]:
    at = 0
    while at + 8 <= len(content):
        size, name = struct.unpack_from(">I4s", content, at)
        end = at + size if size else len(content)
        if end < at + 8 or end > len(content):
            raise damaged()
        yield name, content[at + 8 : end]
        at = end


def _items_of(meta: memoryview, file: IO[bytes]) -> Items:
    found = dict(boxes(meta))
    if not {b"pitm", b"iinf", b"iloc", b"iprp"} <= found.keys():
        raise damaged()
    places, properties = _places(found[b"iloc"]), _properties(found[b"iprp"])
    items = {
        id_: Item(type_, properties.get(id_, ()), places.get(id_, ())) for id_, type_ in _types(found[b"iinf"]).items()
    }
    (primary,) = struct.unpack_from(">I" if found[b"pitm"][0] else ">H", found[b"pitm"], 4)
    references = _references(found.get(b"iref", memoryview(bytes(4))))
    return Items(primary, items, references, file, found.get(b"idat", memoryview(b"")))


class _Fields:
    """Reads numbers one after another."""

    def __init__(self, content: memoryview, at: int = 0) -> None:
        self._content = content
        self._at = at

    def number(self, size: int) -> int:
        end = self._at + size
        if end > len(self._content):
            raise damaged()
        value = int.from_bytes(self._content[self._at : end], "big")
        self._at = end
        return value

    def count(self, size: int) -> int:
        """Return the number of entries of a list."""
        value = self.number(size)
        if value > MAX_ITEMS:
            raise damaged()
        return value


def _types(iinf: memoryview) -> dict[int, bytes]:
    id_bytes = {2: 2, 3: 4}
    types = {}
    for name, entry in boxes(iinf[8 if iinf[0] else 6 :]):
        if name == b"infe" and entry[0] in id_bytes:
            size = id_bytes[entry[0]]
            id_ = int.from_bytes(entry[4 : 4 + size], "big")
            types[id_] = bytes(entry[6 + size : 10 + size])
    return types


def _places(iloc: memoryview) -> dict[int, list[Extent]]:
    version, sizes = iloc[0], (iloc[4] >> 4, iloc[4] & 15, iloc[5] >> 4, iloc[5] & 15 if iloc[0] else 0)
    offset_bytes, length_bytes, base_bytes, index_bytes = sizes
    fields = _Fields(iloc, 6)
    places: dict[int, list[Extent]] = {}
    for _ in range(fields.count(4 if version == 2 else 2)):
        id_ = fields.number(4 if version == 2 else 2)
        source = fields.number(2) & 15 if version else 0
        fields.number(2)  # It is 0: the data is in this file.
        base = fields.number(base_bytes)
        extents = []
        for _ in range(fields.count(2)):
            fields.number(index_bytes)
            extents.append((source, base + fields.number(offset_bytes), fields.number(length_bytes)))
        if source in {0, 1}:
            places[id_] = extents
    return places


def _properties(iprp: memoryview) -> dict[int, list[Box]]:
    parts = list(boxes(iprp))
    shared = [box for name, part in parts if name == b"ipco" for box in boxes(part)]
    properties: dict[int, list[Box]] = {}
    for ipma in (part for name, part in parts if name == b"ipma"):
        is_wide = ipma[3] & 1
        fields = _Fields(ipma, 4)
        for _ in range(fields.count(4)):
            id_ = fields.number(4 if ipma[0] else 2)
            numbers = [
                fields.number(2) & 0x7FFF if is_wide else fields.number(1) & 0x7F for _ in range(fields.number(1))
            ]
            properties[id_] = [shared[number - 1] for number in numbers if number]
    return properties


def _references(iref: memoryview) -> dict[tuple[bytes, int], list[int]]:
    size = 4 if iref[0] else 2
    references: dict[tuple[bytes, int], list[int]] = {}
    for name, content in boxes(iref[4:]):
        fields = _Fields(content)
        id_ = fields.number(size)
        references[name, id_] = [fields.number(size) for _ in range(fields.count(2))]
    return references
