"""Test that HEIC pictures are put together, turned and cropped as their container says, and that lies are refused."""

import io

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from jobs.documents.reader.opening.heic import HeicImageFile
from jobs.documents.reader.opening.limits import Rejected
from tests.samples.heic import TILE, crop, heic, mirror, rotation

BLACK, RED, WHITE = (0, 0, 0), (200, 30, 30), (255, 255, 255)
HALF = TILE // 2


def decoded(data: bytes) -> NDArray[np.uint8]:
    image = HeicImageFile(io.BytesIO(data))
    stated = image.size
    image.load()
    assert image.size == stated
    return np.asarray(Image.frombytes("RGB", image.size, image.tobytes()))


def corners(pixels: NDArray[np.uint8]) -> list[tuple[int, ...]]:
    return [tuple(pixels[row, column].tolist()) for row in (2, -3) for column in (2, -3)]


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        ([], [BLACK, RED, WHITE, WHITE]),
        ([rotation(1)], [RED, WHITE, BLACK, WHITE]),
        ([rotation(2)], [WHITE, WHITE, RED, BLACK]),
        ([rotation(3)], [WHITE, BLACK, WHITE, RED]),
        ([mirror(0)], [WHITE, WHITE, BLACK, RED]),
        ([mirror(1)], [RED, BLACK, WHITE, WHITE]),
        ([rotation(1), mirror(1)], [WHITE, RED, WHITE, BLACK]),
    ],
)
def test_picture_is_turned_as_its_container_says(turns: list[bytes], expected: list[tuple[int, ...]]) -> None:
    assert corners(decoded(heic(turns=turns))) == expected


def test_tiles_are_put_in_rows_and_cut_at_the_edge_of_the_whole() -> None:
    pixels = decoded(heic(3, 2, size=(2 * TILE + 20, TILE + 20)))
    assert pixels.shape == (TILE + 20, 2 * TILE + 20, 3)
    for row, column in ((0, 0), (0, TILE), (TILE, 2 * TILE)):
        assert tuple(pixels[row + 2, column + 2].tolist()) == BLACK
    assert tuple(pixels[HALF + 5, TILE + 5].tolist()) == WHITE


def test_crop_is_around_the_middle_and_comes_before_a_rotation() -> None:
    pixels = decoded(heic(turns=[crop(TILE, HALF, 0, -HALF // 2), rotation(3)]))
    assert pixels.shape == (TILE, HALF, 3)
    assert corners(pixels) == [BLACK, BLACK, RED, RED]


LIES = {
    "fewer tiles than places": heic(3, 2, tiles=5),
    "more tiles than places": heic(3, 2, tiles=7),
    "more tiles than are allowed": heic(70, 70),
    "a whole that is larger than its tiles": heic(2, 2, size=(1000, 1000)),
    "a whole with tiles beside it": heic(4, 4, size=(TILE, TILE)),
    "a tile that is smaller than stated": heic(stated=(128, 128)),
    "a tile that is larger than stated": heic(coded=(4096, 4096)),
    "a tile of 16,384 x 16,384": heic(coded=(16_384, 16_384)),
    "a tile of 2^30 x 2^30": heic(coded=(1 << 30, 1 << 30)),
    "4,096 large tiles": heic(64, 64, coded=(8192, 8192)),
    "no size": heic(stated=(0, 0)),
    "a grid of no size": heic(2, 2, size=(0, 100)),
    "data beyond the end of the file": heic(more_bytes=100),
    "no such picture": heic(primary=7),
    "a crop outside of the picture": heic(turns=[crop(1000, 1000)]),
    "a crop by a fraction of zero": heic(turns=[crop(10, 10, under=0)]),
    "a unit that is longer than the data": heic(picture=b"\xff\xff\xff\xff" + bytes(40)),
    "no data": heic(picture=b""),
    "data that is no picture": heic(picture=b"\0\0\0\x28" + bytes(40)),
    "nothing after the type": heic()[:24],
    "boxes of size zero": heic()[:24] + b"\0\0\0\x10meta" + bytes(8),
}


@pytest.mark.parametrize("name", LIES)
def test_lie_of_the_container_is_refused(name: str) -> None:
    with pytest.raises(Rejected) as raised:
        decoded(LIES[name])
    assert raised.value.code == "document_corrupt"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (heic(kind=b"av01"), "'av01'"),
        (heic(kind=b"iovl"), "'iovl'"),
        (heic()[:24] + b"\0\0\0\x08moov", "video"),
    ],
)
def test_other_contents_of_such_a_file_are_named(data: bytes, said: str) -> None:
    with pytest.raises(Rejected) as raised:
        decoded(data)
    assert raised.value.code == "unsupported_type"
    assert said in raised.value.detail
