"""HEIC pictures, put together box by box around a coded tile, so that any box can lie."""

import base64
import struct
from collections.abc import Sequence

TILE = 64
"""The width and height of the tile: black above on the left, red above on the right, and white below."""
_HEAD = base64.b64decode("AQNwAAAAkAAAAAAAHvAA/P34+AAADwM=")
_PARAMETERS = {32: "QAEMAf//A3AAAAMAkAAAAwAAAwAeugJA", 34: "RAHBcrAiQA=="}
_SEQUENCE = base64.b64decode("QgEBA3AAAAMAkAAAAwAAAwAeoCCBBZbqSSmubgIaDAgAAAMAyAAAAwAIQA==")
_PICTURE = base64.b64decode("AAAAKCgBrwY4W4jl7b/wlwyZzf9k5R///MkPsv7VUR1EOP9Q3AyqOf6cEzg=")
_BITS_BEFORE_SIZE = 8 + 96 + 1 + 3
"""The bits of a sequence's parameters between the head of their unit and the width."""


def heic(
    columns: int = 1,
    rows: int = 1,
    *,
    size: tuple[int, int] | None = None,
    stated: tuple[int, int] = (TILE, TILE),
    coded: tuple[int, int] | None = None,
    tiles: int | None = None,
    kind: bytes = b"hvc1",
    brand: bytes = b"heic",
    turns: Sequence[bytes] = (),
    primary: int = 1,
    more_bytes: int = 0,
    picture: bytes = _PICTURE,
) -> bytes:
    """Return a grid of tiles of a whole `size`, or one tile. `coded` is the size that the tile itself states."""
    count = columns * rows if tiles is None else tiles
    shared = [_box(b"hvcC", _configuration(coded)), _size_box(stated), _size_box(size or (TILE * columns, TILE * rows))]
    whole = [3, *range(4, 4 + len(turns))]
    if columns * rows == 1 and tiles is None:
        items, own, grid, references = [(1, kind)], {1: [1, 2, *whole[1:]]}, b"", b""
    else:
        ids = list(range(2, 2 + count))
        items = [(1, b"grid"), *((id_, kind) for id_ in ids)]
        own = {1: whole, **{id_: [1, 2] for id_ in ids}}
        grid = struct.pack(">4B2I", 0, 1, rows - 1, columns - 1, *(size or (TILE * columns, TILE * rows)))
        linked = struct.pack(f">HH{len(ids)}H", 1, len(ids), *ids)
        references = _box(b"iref", bytes(4) + _box(b"dimg", linked))
    start = _box(b"ftyp", brand + bytes(4) + b"mif1" + brand)

    def meta(offset: int) -> bytes:
        parts = [_primary(primary), _types(items), _places(items, offset, len(picture) + more_bytes, len(grid))]
        properties = _box(b"iprp", _box(b"ipco", b"".join([*shared, *turns])) + _owners(own))
        return _box(b"meta", bytes(4) + b"".join([*parts, properties, references, _box(b"idat", grid)]))

    offset = len(start) + len(meta(0)) + 8
    return start + meta(offset) + _box(b"mdat", picture)


def rotation(quarters: int) -> bytes:
    return _box(b"irot", bytes([quarters]))


def mirror(axis: int) -> bytes:
    return _box(b"imir", bytes([axis]))


def crop(width: int, height: int, x: int = 0, y: int = 0, under: int = 1) -> bytes:
    return _box(b"clap", struct.pack(">2I2I2i2i", width, under, height, under, x, under, y, under))


def _box(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I4s", 8 + len(content), name) + content


def _size_box(size: tuple[int, int]) -> bytes:
    return _box(b"ispe", struct.pack(">I2I", 0, *size))


def _primary(id_: int) -> bytes:
    return _box(b"pitm", struct.pack(">IH", 0, id_))


def _types(items: Sequence[tuple[int, bytes]]) -> bytes:
    entries = [_box(b"infe", struct.pack(">IHH4sB", 2 << 24, id_, 0, kind, 0)) for id_, kind in items]
    return _box(b"iinf", struct.pack(">IH", 0, len(items)) + b"".join(entries))


def _places(items: Sequence[tuple[int, bytes]], offset: int, length: int, grid_length: int) -> bytes:
    entries = []
    for id_, kind in items:
        place = (1, 0, 1, 0, grid_length) if kind == b"grid" else (0, 0, 1, offset, length)
        entries.append(struct.pack(">HHHHII", id_, *place))
    return _box(b"iloc", struct.pack(">IBBH", 1 << 24, 0x44, 0, len(items)) + b"".join(entries))


def _owners(own: dict[int, list[int]]) -> bytes:
    entries = [struct.pack(">HB", id_, len(numbers)) + bytes(numbers) for id_, numbers in own.items()]
    return _box(b"ipma", struct.pack(">II", 0, len(own)) + b"".join(entries))


def _configuration(coded: tuple[int, int] | None) -> bytes:
    sequence = _SEQUENCE if coded is None else _resized(coded)
    units = {32: base64.b64decode(_PARAMETERS[32]), 33: sequence, 34: base64.b64decode(_PARAMETERS[34])}
    return _HEAD + b"".join(struct.pack(">BHH", type_, 1, len(unit)) + unit for type_, unit in units.items())


def _resized(size: tuple[int, int]) -> bytes:
    """Return the parameters of the sequence with another width and height."""
    head, body = _SEQUENCE[:2], _SEQUENCE[2:].replace(b"\0\0\3", b"\0\0")
    bits = "".join(f"{byte:08b}" for byte in body)
    rest = bits[_BITS_BEFORE_SIZE + 2 * len(_golomb(TILE)) :]
    bits = bits[:_BITS_BEFORE_SIZE] + _golomb(size[0]) + _golomb(size[1]) + rest
    bits = bits.rstrip("0")
    bits += "0" * (-len(bits) % 8)
    whole = int(bits, 2).to_bytes(len(bits) // 8, "big")
    return head + whole.replace(b"\0\0\0", b"\0\0\3\0").replace(b"\0\0\1", b"\0\0\3\1").replace(b"\0\0\2", b"\0\0\3\2")


def _golomb(value: int) -> str:
    digits = f"{value + 1:b}"
    return "0" * (len(digits) - 1) + digits
