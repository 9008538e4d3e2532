from typing import Any

import numpy as np
import pytest

from inference.core.contracts import Json, PageInput, Pixels, TextLine, WorkRefused
from inference.pipelines.operations import OPERATIONS
from tests.inference.runtime.pictures import picture_page

PICTURE = OPERATIONS["picture_tensor"]
RED, WHITE = (255, 0, 0), (255, 255, 255)


def tensor(pixels: Pixels, **settings: Json) -> Any:
    complete = PICTURE.complete({"width": 8, "height": 4, **settings})
    made = PICTURE.run({"page": picture_page(pixels)}, complete)
    assert made.shape == PICTURE.gives({}, complete).shape
    assert PICTURE.gives({}, complete).datatypes == {"UINT8" if made.dtype == np.uint8 else "FP32"}
    return made


def solid(height: int, width: int, color: tuple[int, int, int] = RED) -> Pixels:
    return np.full((height, width, 3), color, np.uint8)


def test_channels_come_first_or_last() -> None:
    assert tensor(solid(10, 20)).shape == (1, 3, 4, 8)
    assert tensor(solid(10, 20), layout="nhwc").shape == (1, 4, 8, 3)


def test_colors_are_in_the_order_that_the_model_learnt() -> None:
    assert tensor(solid(10, 20))[0, :, 0, 0].tolist() == [1.0, 0.0, 0.0]
    assert tensor(solid(10, 20), colors="bgr")[0, :, 0, 0].tolist() == [0.0, 0.0, 1.0]
    assert tensor(solid(10, 20), colors="gray")[0, :, 0, 0] == pytest.approx([76 / 255])


def test_values_are_scaled_then_moved_then_divided() -> None:
    made = tensor(solid(10, 20), mean=[0.5, 0.25, 0.0], deviation=[0.5, 0.5, 2.0])
    assert made[0, :, 0, 0].tolist() == [1.0, -0.5, 0.0]


def test_bytes_stay_bytes_where_the_model_takes_them() -> None:
    made = tensor(solid(10, 20), datatype="UINT8", scale=1)
    assert made.dtype == np.uint8
    assert made[0, :, 0, 0].tolist() == [255, 0, 0]


def test_padded_picture_keeps_its_proportions_in_the_middle() -> None:
    made = tensor(solid(20, 20), fit="pad", fill=0)[0, 0]
    assert made[:, 2:6].tolist() == [[1.0] * 4] * 4
    assert made[:, :2].sum() == made[:, 6:].sum() == 0


def test_cropped_picture_is_its_middle() -> None:
    pixels = solid(10, 40, WHITE)
    pixels[:, 10:30] = RED
    assert (tensor(pixels, fit="crop")[0, :, :, :].transpose(1, 2, 0) == [1.0, 0.0, 0.0]).all()


@pytest.mark.parametrize("fit", ["stretch", "pad", "crop"])
@pytest.mark.parametrize("size", [(1, 1), (1, 30_000), (30_000, 1), (3, 5)])
def test_no_proportions_are_too_odd(fit: str, size: tuple[int, int]) -> None:
    assert tensor(solid(*size), fit=fit).shape == (1, 3, 4, 8)


def test_page_without_a_picture_is_refused() -> None:
    page = PageInput(1, 0, 0, (TextLine("text", None, 1.0),), load_pixels=None)
    with pytest.raises(WorkRefused, match="the page is plain text and has no image"):
        PICTURE.run({"page": page}, PICTURE.complete({"width": 8, "height": 4}))


def test_three_means_for_one_channel_are_refused() -> None:
    settings = PICTURE.complete({"width": 8, "height": 4, "colors": "gray", "mean": [1, 2, 3]})
    with pytest.raises(ValueError, match="'mean' has 3 numbers for 1 color channels"):
        PICTURE.gives({}, settings)
