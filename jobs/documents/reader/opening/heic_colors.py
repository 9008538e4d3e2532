"""Makes red, green and blue of the brightness and the color differences of a HEIC picture."""

from collections.abc import Sequence

from PIL import Image

from .hevc import Planes

_IDENTITY = 0
_WEIGHTS = {1: (0.2126, 0.0722), 9: (0.2627, 0.0593), 10: (0.2627, 0.0593)}
"""The weights of red and blue in the brightness, by the number of the formula. Those of the others are below."""
_USUAL_WEIGHTS = (0.299, 0.114)


def to_rgb(planes: Planes, colr: memoryview | None) -> Image.Image:
    """Return the picture in the colors that the box `colr` states, or else the coded data."""
    matrix, full_range = planes.matrix, planes.full_range
    if colr is not None and bytes(colr[:4]) == b"nclx" and len(colr) >= 11:
        matrix, full_range = int.from_bytes(colr[8:10], "big"), bool(colr[10] & 128)
    bands = planes.bands if len(planes.bands) == 3 else [planes.bands[0]] * 3
    if len(planes.bands) == 1:
        gray = (1, 0, 0) if full_range else (255 / 219, 0, 0)
        rows: Sequence[tuple[float, float, float]] = [gray] * 3
    else:
        rows = _formula(matrix, full_range)
    low = 0 if full_range else 16
    shifted = [(*row, -row[0] * low - (row[1] + row[2]) * (128 if matrix != _IDENTITY else low)) for row in rows]
    return Image.merge("RGB", bands).convert("RGB", tuple(value for row in shifted for value in row))


def _formula(matrix: int, full_range: bool) -> list[tuple[float, float, float]]:
    """Return the shares of the brightness and of the two color differences in red, green and blue."""
    light, color = (1.0, 1.0) if full_range else (255 / 219, 255 / 224)
    if matrix == _IDENTITY:
        return [(0, 0, light), (light, 0, 0), (0, light, 0)]
    red, blue = _WEIGHTS.get(matrix, _USUAL_WEIGHTS)
    green = 1 - red - blue
    from_blue, from_red = 2 * (1 - blue) * color, 2 * (1 - red) * color
    return [
        (light, 0, from_red),
        (light, -from_blue * blue / green, -from_red * red / green),
        (light, from_blue, 0),
    ]
