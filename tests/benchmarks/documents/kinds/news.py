"""Lay out a page of a newspaper: a page of running text in several columns."""

from tests.benchmarks.documents import columns
from tests.benchmarks.documents.studio import Studio


def compose(studio: Studio) -> None:
    studio.columns = studio.columns or studio.chance.choice((2, 3, 3, 4))
    columns.compose(studio)
