"""The conversion of a page's picture to the tensor that an image model takes."""

from collections.abc import Mapping
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from inference.core.contracts import Json, Pixels, WorkRefused
from inference.pipelines.operations.operation import (
    PREPROCESS,
    Operation,
    Setting,
    number,
    one_of,
    whole_number,
)
from inference.pipelines.operations.values import PAGE, Value, ValueType, tensor_of

MAX_SIDE = 4096
CHANNELS = {"rgb": 3, "bgr": 3, "gray": 1}


def _three_numbers(value: Json) -> bool:
    is_finite = number(-1e6, 1e6)
    return isinstance(value, list) and len(value) in (1, 3) and all(map(is_finite, value))


def _no_zero(value: Json) -> bool:
    return _three_numbers(value) and 0 not in value


def _gives(inputs: Mapping[str, ValueType], settings: Mapping[str, Json]) -> ValueType:
    channels, height, width = CHANNELS[settings["colors"]], settings["height"], settings["width"]
    for name in ("mean", "deviation"):
        if len(settings[name]) not in (1, channels):
            raise ValueError(f"'{name}' has {len(settings[name])} numbers for {channels} color channels")
    shape = (1, channels, height, width) if settings["layout"] == "nchw" else (1, height, width, channels)
    return tensor_of(settings["datatype"], shape=shape)


def _run(inputs: Mapping[str, Value], settings: Mapping[str, Json]) -> Value:
    load = inputs["page"].load_pixels
    if load is None:
        raise WorkRefused("input_not_accepted", "the page is plain text and has no image")
    sized = _resized(load(), settings["width"], settings["height"], settings["fit"], settings["fill"])
    colored = _colored(sized, settings["colors"])
    values: npt.NDArray[Any] = colored.astype(np.float32) * np.float32(settings["scale"])
    values = (values - np.float32(settings["mean"])) / np.float32(settings["deviation"])
    if settings["layout"] == "nchw":
        values = values.transpose(2, 0, 1)
    datatype = np.uint8 if settings["datatype"] == "UINT8" else np.float32
    limited = np.clip(np.rint(values), 0, 255) if datatype is np.uint8 else values
    return np.ascontiguousarray(limited[np.newaxis], datatype)


def _resized(pixels: Pixels, width: int, height: int, fit: str, fill: int) -> Pixels:
    """Resize: `stretch` ignores proportions, `pad` keeps all of the picture, and `crop` fills with its middle."""
    ratios = width / pixels.shape[1], height / pixels.shape[0]
    if fit == "pad":
        canvas = np.full((height, width, 3), fill, np.uint8)
        inner = [_within(side * min(ratios), most) for side, most in zip(pixels.shape, (height, width), strict=False)]
        _middle(canvas, *inner)[:] = _scaled(pixels, inner[1], inner[0])
        return canvas
    if fit == "crop":
        # The picture is cut before it is scaled, or a picture of one long row would grow beyond all memory.
        taken = [_within(side / max(ratios), most) for side, most in zip((height, width), pixels.shape, strict=False)]
        pixels = _middle(pixels, *taken)
    return _scaled(pixels, width, height)


def _within(side: float, most: int) -> int:
    return min(max(1, round(side)), most)


def _middle(pixels: Pixels, height: int, width: int) -> Pixels:
    top, left = (pixels.shape[0] - height) // 2, (pixels.shape[1] - width) // 2
    return pixels[top : top + height, left : left + width]


def _scaled(pixels: Pixels, width: int, height: int) -> Pixels:
    shrinks = width < pixels.shape[1] or height < pixels.shape[0]
    how = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(pixels, (width, height), interpolation=how), np.uint8)


def _colored(pixels: Pixels, colors: str) -> npt.NDArray[Any]:
    if colors == "gray":
        # These are the weights of ITU-R BT.601, which Pillow and OpenCV use.
        return np.rint(pixels @ np.array([0.299, 0.587, 0.114], np.float32))[..., np.newaxis]
    return pixels[..., ::-1] if colors == "bgr" else pixels


PICTURE_TENSOR = Operation(
    "picture_tensor",
    PREPROCESS,
    gives=_gives,
    run=_run,
    takes={"page": PAGE},
    looks_at_picture=True,
    settings=(
        Setting("width", whole_number(1, MAX_SIDE), f"a whole number from 1 to {MAX_SIDE}"),
        Setting("height", whole_number(1, MAX_SIDE), f"a whole number from 1 to {MAX_SIDE}"),
        Setting("fit", one_of("stretch", "pad", "crop"), "stretch, pad or crop", "stretch"),
        Setting("fill", whole_number(0, 255), "a whole number from 0 to 255", 255),
        Setting("colors", one_of(*CHANNELS), "rgb, bgr or gray", "rgb"),
        Setting("layout", one_of("nchw", "nhwc"), "nchw or nhwc", "nchw"),
        Setting("datatype", one_of("FP32", "UINT8"), "FP32 or UINT8", "FP32"),
        Setting("scale", number(0, 1e6), "a number from 0 to 1000000", 1 / 255),
        Setting("mean", _three_numbers, "a list of one or three numbers", [0]),
        Setting("deviation", _no_zero, "a list of one or three numbers, none of them 0", [1]),
    ),
)
