"""Opens HEIC pictures, as phones take them, as a format of Pillow."""

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from PIL import Image, ImageFile

from . import hevc
from .heic_boxes import Item, Items, damaged, read_items
from .heic_colors import to_rgb
from .limits import unsupported
from .refused_types import AS_JPEG

_CODED, _GRID = b"hvc1", b"grid"
_ALPHA = (b"urn:mpeg:hevc:2015:auxid:1", b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha")
_MAX_TILES = 4_096
_MAX_TILE_BYTES = 64 << 20
_MAX_UNITS = 1_000
_MAX_SIDE = 1 << 16
_WHITE = (255, 255, 255)
_ROTATIONS = (None, Image.Transpose.ROTATE_90, Image.Transpose.ROTATE_180, Image.Transpose.ROTATE_270)
_MIRRORS = (Image.Transpose.FLIP_TOP_BOTTOM, Image.Transpose.FLIP_LEFT_RIGHT)

Size = tuple[int, int]


class HeicImageFile(ImageFile.ImageFile):
    """The main picture of a file, upright. Depth maps, other pictures of a burst and videos are left out."""

    format = "HEIC"

    def _open(self) -> None:
        assert self.fp is not None
        self._items = read_items(self.fp)
        self._picture = _Picture(self._items, self._items.primary)
        self._size = self._picture.upright_size
        self._mode = "RGB"
        self._is_decoded = False

    def load(self) -> None:
        if self._is_decoded:
            return
        image = self._picture.decode()
        if (alpha := _alpha_of(self._items)) is not None:
            page = Image.new("RGB", image.size, _WHITE)
            page.paste(image, mask=alpha.decode().resize(image.size).convert("L"))
            image = page
        self.im, self._is_decoded = image.im, True


@dataclass(frozen=True)
class _Picture:
    """A picture that is coded as one, or as a grid of tiles."""

    items: Items
    id: int

    @property
    def item(self) -> Item:
        return self.items.item(self.id)

    @cached_property
    def size(self) -> Size:
        """The size before it is turned."""
        if self.item.type == _GRID:
            return self._grid[1]
        return _stated_size(self.item)

    @cached_property
    def upright_size(self) -> Size:
        width, height = self.size
        for name, content in self.item.properties:
            if name == b"clap":
                left, top, right, bottom = _crop(content, (width, height))
                width, height = right - left, bottom - top
            elif name == b"irot" and content[0] & 1:
                width, height = height, width
        return width, height

    def decode(self) -> Image.Image:
        decoder = hevc.Decoder()
        try:
            image = self._decode_grid(decoder) if self.item.type == _GRID else _decode(decoder, self.items, self.item)
        finally:
            decoder.close()
        for name, content in self.item.properties:
            if name == b"clap":
                image = image.crop(_crop(content, image.size))
            elif name == b"irot" and (rotation := _ROTATIONS[content[0] & 3]) is not None:
                image = image.transpose(rotation)
            elif name == b"imir":
                image = image.transpose(_MIRRORS[content[0] & 1])
        return image

    @cached_property
    def _grid(self) -> tuple[Size, Size]:
        """The columns and rows of the tiles, and the size of the whole."""
        data = self.items.data(self.item, 12)
        try:
            _, flags, rows, columns = struct.unpack_from(">4B", data)
            width, height = struct.unpack_from(">2I" if flags & 1 else ">2H", data, 4)
        except struct.error as error:
            raise damaged() from error
        if not (0 < width < _MAX_SIDE and 0 < height < _MAX_SIDE):
            raise damaged()
        return (columns + 1, rows + 1), (width, height)

    def _decode_grid(self, decoder: hevc.Decoder) -> Image.Image:
        (columns, rows), whole = self._grid
        tiles = [self.items.item(id_) for id_ in self.items.references.get((b"dimg", self.id), ())]
        if len(tiles) != columns * rows or len(tiles) > _MAX_TILES:
            raise damaged()
        width, height = _stated_size(tiles[0])
        if not (
            (columns - 1) * width < whole[0] <= columns * width and (rows - 1) * height < whole[1] <= rows * height
        ):
            raise damaged()
        image = Image.new("RGB", whole)
        for tile, (row, column) in zip(tiles, product(range(rows), range(columns)), strict=True):
            if _stated_size(tile) != (width, height):
                raise damaged()
            image.paste(_decode(decoder, self.items, tile), (column * width, row * height))
        return image


def _alpha_of(items: Items) -> _Picture | None:
    """Return the picture that says where the main one can be seen through."""
    for (name, id_), others in items.references.items():
        if name == b"auxl" and items.primary in others:
            kind = items.item(id_).property(b"auxC")
            if kind is not None and bytes(kind[4:]).split(b"\0")[0] in _ALPHA:
                return _Picture(items, id_)
    return None


def _stated_size(item: Item) -> Size:
    if item.type != _CODED:
        raise unsupported(f"a HEIC picture of the kind {item.type.decode('ascii', 'replace')!r}", AS_JPEG)
    stated = item.property(b"ispe")
    if stated is None or len(stated) < 12:
        raise damaged()
    width, height = struct.unpack_from(">2I", stated, 4)
    if not (0 < width < _MAX_SIDE and 0 < height < _MAX_SIDE):
        raise damaged()
    return width, height


def _decode(decoder: hevc.Decoder, items: Items, item: Item) -> Image.Image:
    size, configuration = _stated_size(item), item.property(b"hvcC")
    if configuration is None or len(configuration) < 23:
        raise damaged()
    units = list(_parameters(bytes(configuration)))
    length_bytes = (configuration[21] & 3) + 1
    units += _units(items.data(item, _MAX_TILE_BYTES), length_bytes)
    if not hevc.are_about_of_size(units, size):
        raise damaged()
    planes = decoder.decode(units)
    if planes is None or planes.bands[0].size != size:
        raise damaged()
    return to_rgb(planes, item.property(b"colr"))


def _parameters(configuration: bytes) -> Iterator[bytes]:
    """Yield the units that are to be decoded before those of the picture."""
    at = 23
    for _ in range(configuration[22]):
        count, at = int.from_bytes(configuration[at + 1 : at + 3], "big"), at + 3
        for _ in range(min(count, _MAX_UNITS)):
            length = int.from_bytes(configuration[at : at + 2], "big")
            yield _unit(configuration, at + 2, length)
            at += 2 + length


def _units(data: bytes, length_bytes: int) -> Iterator[bytes]:
    at, count = 0, 0
    while at < len(data):
        length = int.from_bytes(data[at : at + length_bytes], "big")
        yield _unit(data, at + length_bytes, length)
        at, count = at + length_bytes + length, count + 1
        if count > _MAX_UNITS:
            raise damaged()


def _unit(data: bytes, at: int, length: int) -> bytes:
    unit = data[at : at + length]
    if len(unit) != length or not length:
        raise damaged()
    return unit


def _crop(clap: memoryview, size: Size) -> tuple[int, int, int, int]:
    try:
        numbers = struct.unpack_from(">2I2I2i2i", clap)
    except struct.error as error:
        raise damaged() from error
    if not all(numbers[1::2]):
        raise damaged()
    width, height, x, y = (over / under for over, under in zip(numbers[::2], numbers[1::2], strict=True))
    sides = [_side(whole, length, offset) for whole, length, offset in zip(size, (width, height), (x, y), strict=True)]
    (left, right), (top, bottom) = sides
    return left, top, right, bottom


def _side(whole: int, length: float, offset: float) -> tuple[int, int]:
    start = math.floor((whole - length) / 2 + offset + 0.5)
    end = start + round(length)
    if not 0 <= start < end <= whole:
        raise damaged()
    return start, end


def _accepts(head: bytes) -> bool:
    return head[4:8] == b"ftyp"


Image.register_open(HeicImageFile.format, HeicImageFile, _accepts)
