"""Tests of the resolution of a page's picture."""

import math

from hypothesis import given
from hypothesis import strategies as st

from jobs.documents.reader.opening.limits import DocumentLimits
from jobs.documents.reader.opening.pdf import render_scale

sides = st.floats(min_value=0, max_value=14_400)


@given(width=sides, height=sides, most=st.integers(50_000, 50_000_000))
def test_no_page_is_rendered_over_the_limit_on_pixels(width: float, height: float, most: int) -> None:
    scale = render_scale(width, height, DocumentLimits(max_page_pixels=most))
    assert math.ceil(width * scale) * math.ceil(height * scale) <= most


def test_an_ordinary_page_keeps_the_wanted_resolution() -> None:
    assert render_scale(595, 842, DocumentLimits(render_dpi=144)) == 2.0
