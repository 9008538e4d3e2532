"""Finds Tesseract's language data and fonts on this machine for tests that read real lines."""

import importlib.util
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont, features

from inference.core.contracts import Pixels

_FOLDERS = (*Path("/usr/share/tesseract-ocr").glob("*/tessdata"), Path("/usr/share/tessdata"))
_FONTS = Path("/usr/share/fonts/truetype")


def data_file(language: str) -> Path:
    """Return the file with the language's data. Without one, or without Tesseract, the test is skipped."""
    if importlib.util.find_spec("tesserocr") is None:
        pytest.skip("tesserocr is not installed")
    named = os.environ.get("MAAS_TEST_TESSDATA")
    for folder in (Path(named),) if named else _FOLDERS:
        if (file := folder / f"{language}.traineddata").is_file():
            return file
    pytest.skip(f"no {language}.traineddata: install tesseract-ocr-{language}, or set MAAS_TEST_TESSDATA to a folder")


def drawn_line(text: str, font_name: str, *, right_to_left: bool = False, margin: int = 4) -> Pixels:
    """Return a picture of the text as a detector cuts it out at 200 dpi. Without the font, the test is skipped."""
    file = next(_FONTS.rglob(font_name), None)
    if file is None or not features.check("raqm"):
        pytest.skip(f"no font {font_name}, or no Raqm to shape it: install fonts-noto-core and fonts-dejavu-core")
    font = ImageFont.truetype(file, 31, layout_engine=ImageFont.Layout.RAQM)
    direction = "rtl" if right_to_left else "ltr"
    left, top, right, bottom = font.getbbox(text, direction=direction)
    size = (round(right - left) + 2 * margin, round(bottom - top) + 2 * margin)
    picture = Image.new("RGB", size, "white")
    ImageDraw.Draw(picture).text((margin - left, margin - top), text, fill="black", font=font, direction=direction)
    return np.array(picture)
