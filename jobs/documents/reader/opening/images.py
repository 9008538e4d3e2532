"""Opens PNG, JPEG, TIFF, WebP, AVIF and HEIC files."""

import warnings
from typing import BinaryIO

# The plugins are named here, so that none has to be imported once the file system is closed.
from PIL import (
    AvifImagePlugin,
    Image,
    ImageCms,
    ImageFile,
    ImageOps,
    JpegImagePlugin,
    MpoImagePlugin,
    PngImagePlugin,
    TiffImagePlugin,
    WebPImagePlugin,
)

from . import heic
from .detection import HEAD_BYTES, TIFF, WEBP, FileType, webp_size
from .limits import DocumentLimits, corrupt, image_too_large, no_such_page, too_many_pages

__all__ = ["frame_sizes", "read_frame", "refuse_truncated"]

_PLUGINS = (
    AvifImagePlugin,
    ImageCms,
    JpegImagePlugin,
    MpoImagePlugin,
    PngImagePlugin,
    TiffImagePlugin,
    WebPImagePlugin,
    heic,
)
Image.preinit()
AvifImagePlugin.DEFAULT_MAX_THREADS = 1  # A child cannot start threads.
Image.MAX_IMAGE_PIXELS = None  # Pillow's own limit only warns up to twice its value; ours refuses.
ImageFile.LOAD_TRUNCATED_IMAGES = False
warnings.simplefilter("ignore")

_DECODE_ERRORS = (
    *(OSError, ValueError, SyntaxError, TypeError, KeyError, IndexError, EOFError, AttributeError),
    RuntimeError,
)
"""The errors that Pillow's parsers raise for bytes that break their format's rules."""
_STRIP_OFFSETS, _STRIP_COUNTS, _TILE_OFFSETS, _TILE_COUNTS = 273, 279, 324, 325
_ORIENTATION = 0x0112
_SIDEWAYS = frozenset({5, 6, 7, 8})
_WHITE = (255, 255, 255)
_16_BIT = 1 / 256


def open_image(file: BinaryIO, file_type: FileType, limits: DocumentLimits) -> Image.Image:
    """Reads only the header, with the one decoder that fits the file's first bytes."""
    if file_type == WEBP:
        file.seek(0)
        size = webp_size(file.read(HEAD_BYTES))
        if size is None:
            raise corrupt("The WebP file's header cannot be read.")
        _refuse_too_large(size, limits)
    file.seek(0)
    try:
        image = Image.open(file, formats=(file_type.codec,))
    except _DECODE_ERRORS as error:
        raise _broken(file_type) from error
    _refuse_too_large(image.size, limits)
    return image


def frame_sizes(file: BinaryIO, file_type: FileType, limits: DocumentLimits) -> list[tuple[int, int]]:
    """Return the size of each page. Only a TIFF has several; an animation counts as its first frame."""
    image = open_image(file, file_type, limits)
    if file_type != TIFF:
        return [_upright_size(image, file_type)]
    sizes: list[tuple[int, int]] = []
    while _seek(image, len(sizes)):
        if len(sizes) == limits.max_pages:
            raise too_many_pages(f"more than {limits.max_pages}", limits)
        _refuse_too_large(image.size, limits)
        _refuse_missing_strips(image, file)
        sizes.append(_upright_size(image, file_type))
    return sizes


def refuse_truncated(file: BinaryIO, file_type: FileType, limits: DocumentLimits) -> None:
    """Reads a one-page picture to its end in the cheapest way that notices when bytes are missing."""
    image = open_image(file, file_type, limits)
    try:
        if file_type.codec == "PNG":
            image.verify()
            return
        image.draft("RGB", (max(1, image.width // 8), max(1, image.height // 8)))
        image.load()
    except _DECODE_ERRORS as error:
        raise _broken(file_type) from error


def read_frame(file: BinaryIO, file_type: FileType, number: int, limits: DocumentLimits) -> Image.Image:
    """Decodes page `number` (from 1) as upright RGB on white."""
    image = open_image(file, file_type, limits)
    if number > 1 and (file_type != TIFF or not _seek(image, number - 1)):
        raise no_such_page(number, 1 if file_type != TIFF else number - 1)
    _refuse_too_large(image.size, limits)
    try:
        image.load()
        return to_rgb(ImageOps.exif_transpose(image))
    except _DECODE_ERRORS as error:
        raise _broken(file_type) from error


def to_rgb(image: Image.Image) -> Image.Image:
    if image.mode.startswith("I;16") or image.mode == "I":
        image = image.point(lambda value: value * _16_BIT).convert("L")
    elif image.mode == "F":
        image = _stretched(image)
    if image.has_transparency_data:
        layered = image.convert("RGBA")
        page = Image.new("RGB", image.size, _WHITE)
        page.paste(layered, mask=layered.getchannel("A"))
        return page
    return image if image.mode == "RGB" else image.convert("RGB")


def _stretched(image: Image.Image) -> Image.Image:
    low, high = image.getextrema()
    assert isinstance(low, float) and isinstance(high, float)  # noqa: PT018
    scale = 255 / (high - low) if high > low else 0.0
    return image.point(lambda value: value * scale - low * scale).convert("L")


def _seek(image: Image.Image, index: int) -> bool:
    try:
        image.seek(index)
    except EOFError:
        return False
    except _DECODE_ERRORS as error:
        raise corrupt(f"Page {index + 1} of the TIFF file cannot be read.") from error
    return True


def _upright_size(image: Image.Image, file_type: FileType) -> tuple[int, int]:
    if file_type == TIFF:
        return image.size  # Pillow has turned it already.
    try:
        sideways = image.getexif().get(_ORIENTATION) in _SIDEWAYS
    except _DECODE_ERRORS as error:
        raise _broken(file_type) from error
    return (image.height, image.width) if sideways else image.size


def _refuse_too_large(size: tuple[int, int], limits: DocumentLimits) -> None:
    width, height = size
    if width * height > limits.max_page_pixels:
        raise image_too_large(width, height, limits)


def _refuse_missing_strips(image: Image.Image, file: BinaryIO) -> None:
    assert isinstance(image, TiffImagePlugin.TiffImageFile)
    file_bytes = file.seek(0, 2)
    for offsets, counts in ((_STRIP_OFFSETS, _STRIP_COUNTS), (_TILE_OFFSETS, _TILE_COUNTS)):
        starts = image.tag_v2.get(offsets, ())
        lengths = image.tag_v2.get(counts, ())
        if any(start + length > file_bytes for start, length in zip(starts, lengths, strict=False)):
            raise corrupt("The TIFF file ends before its picture does.")


def _broken(file_type: FileType) -> Exception:
    return corrupt(f"The {file_type.codec} picture cannot be decoded; it is damaged or incomplete.")
