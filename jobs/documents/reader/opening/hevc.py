"""Decodes a still picture of the HEVC codec by libde265, in the calling thread: a child cannot start threads."""

import ctypes
import importlib.util
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

_FOLDER = "pi_heif.libs"
"""The folder of the wheel `pi-heif` that holds the library. Its libheif starts a thread for each picture, and ends the
process if that fails, so that it is not used.
"""
_MONOCHROME, _FULL_COLOR = 0, 3
_SEQUENCE = 33
"""The type of the unit with the parameters of a sequence, which state its size."""
_LONGEST_HEAD = 200
"""The bytes of such a unit within which the size is stated."""
_LARGEST_BLOCK = 65
_MAX_ZEROS = 32
_NO_THREADS_WARNING = 1000
_WAITS_FOR_DATA = 13
_MAX_STEPS = 10_000


@dataclass(frozen=True, slots=True)
class Planes:
    """The brightness and, for a picture with colors, the two color differences in the same size. All have 8 bits."""

    bands: Sequence[Image.Image]
    matrix: int
    """The number of the colors' formula in the standard ITU-T H.273."""
    full_range: bool


def are_about_of_size(units: Iterable[bytes], size: tuple[int, int]) -> bool:
    """Return whether all units that state a size state this one, or up to a block more, which the decoder cuts off.

    The decoder takes memory and time for the size that a unit states, even if it has no picture.
    """
    sizes = [_size_in(unit[:_LONGEST_HEAD]) for unit in units if unit[0] >> 1 & 63 == _SEQUENCE]
    return bool(sizes) and all(
        stated is not None and all(0 <= more - side < _LARGEST_BLOCK for more, side in zip(stated, size, strict=True))
        for stated in sizes
    )


def _size_in(unit: bytes) -> tuple[int, int] | None:
    """Return the width and height that the parameters of a sequence state (section 7.3.2.2 of ITU-T H.265)."""
    payload = unit[2:].replace(b"\0\0\3", b"\0\0")
    bits = _Bits(payload)
    try:
        bits.skip(4)
        layers = bits.number(3)
        bits.skip(1 + 88 + 8)
        present = [(bits.number(1), bits.number(1)) for _ in range(layers)]
        bits.skip(2 * (8 - layers) if layers else 0)
        for has_profile, has_level in present:
            bits.skip(88 * has_profile + 8 * has_level)
        bits.golomb()
        if bits.golomb() == _FULL_COLOR:
            bits.skip(1)
        return bits.golomb(), bits.golomb()
    except IndexError:
        return None


class _Bits:
    """Reads numbers bit by bit. Raises IndexError at the end."""

    def __init__(self, data: bytes) -> None:
        self._bits = "".join(f"{byte:08b}" for byte in data)
        self._at = 0

    def skip(self, count: int) -> None:
        self._at += count

    def number(self, count: int) -> int:
        bits = self._bits[self._at : self._at + count]
        if len(bits) < count:
            raise IndexError
        self._at += count
        return int(bits, 2)

    def golomb(self) -> int:
        """Return a number that is written after as many zeros as it has digits."""
        zeros = self._bits.index("1", self._at) - self._at if "1" in self._bits[self._at :] else _MAX_ZEROS
        if zeros >= _MAX_ZEROS:
            raise IndexError
        self.skip(zeros)
        return self.number(zeros + 1) - 1


class Decoder:
    """Decodes pictures one after another. A decoder takes much memory, so that the tiles of a picture share one."""

    def __init__(self) -> None:
        self._context = ctypes.c_void_p(_LIBRARY.de265_new_decoder())

    def decode(self, units: Iterable[bytes]) -> Planes | None:
        """Return the picture in these units, or None if they are damaged."""
        _LIBRARY.de265_reset(self._context)
        for unit in units:
            _LIBRARY.de265_push_NAL(self._context, unit, len(unit), 0, None)
        _LIBRARY.de265_flush_data(self._context)
        image = _first_picture(_LIBRARY, self._context)
        if image is None or _has_warnings(_LIBRARY, self._context):
            return None
        return _planes(_LIBRARY, image)

    def close(self) -> None:
        _LIBRARY.de265_free_decoder(self._context)


def _first_picture(library: ctypes.CDLL, context: ctypes.c_void_p) -> ctypes.c_void_p | None:
    more = ctypes.c_int(1)
    for _ in range(_MAX_STEPS):
        error = library.de265_decode(context, ctypes.byref(more))
        image = library.de265_get_next_picture(context)
        if image:
            return ctypes.c_void_p(image)
        if error or not more.value:
            return None
    return None


def _has_warnings(library: ctypes.CDLL, context: ctypes.c_void_p) -> bool:
    """Return whether the decoder had to invent a part of the picture."""
    while warning := library.de265_get_warning(context):
        if warning != _NO_THREADS_WARNING:
            return True
    return False


def _planes(library: ctypes.CDLL, image: ctypes.c_void_p) -> Planes:
    chroma = library.de265_get_chroma_format(image)
    bands = [_plane(library, image, channel) for channel in range(1 if chroma == _MONOCHROME else 3)]
    return Planes(
        [
            band if band.size == bands[0].size else band.resize(bands[0].size, Image.Resampling.BILINEAR)
            for band in bands
        ],
        library.de265_get_image_matrix_coefficients(image),
        bool(library.de265_get_image_full_range_flag(image)),
    )


def _plane(library: ctypes.CDLL, image: ctypes.c_void_p, channel: int) -> Image.Image:
    size = library.de265_get_image_width(image, channel), library.de265_get_image_height(image, channel)
    bits = library.de265_get_bits_per_pixel(image, channel)
    stride = ctypes.c_int()
    start = library.de265_get_image_plane(image, channel, ctypes.byref(stride))
    pixels = ctypes.string_at(start, stride.value * size[1])
    if bits <= 8:
        return Image.frombytes("L", size, pixels, "raw", "L", stride.value)
    scale = 1 / (1 << bits - 8)
    deep = Image.frombytes("I;16", size, pixels, "raw", "I;16", stride.value)
    return deep.point(lambda value: value * scale).convert("L")


def _load() -> ctypes.CDLL:
    spec = importlib.util.find_spec("pi_heif")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("pi_heif is not installed", name="pi_heif")
    (path,) = (Path(spec.origin).parent.parent / _FOLDER).glob("libde265*")
    library = ctypes.CDLL(str(path))
    pointers, integers = ctypes.c_void_p, ctypes.c_int
    library.de265_new_decoder.restype = pointers
    library.de265_push_NAL.argtypes = [pointers, ctypes.c_char_p, integers, ctypes.c_int64, pointers]
    for name in ("de265_get_next_picture", "de265_get_image_plane"):
        getattr(library, name).restype = pointers
    library.de265_init()
    library.de265_disable_logging()
    return library


_LIBRARY = _load()
