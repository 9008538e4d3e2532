"""Generated tables are the same for the same seed, and their truth is whole."""

import numpy as np
import pytest

from tests.benchmarks.tables.generated import TablePage, page_without, table_page


@pytest.mark.parametrize("ruled", [True, False])
def test_the_same_seed_gives_the_same_page(ruled: bool) -> None:
    one, other = (table_page(7, ruled=ruled, dpi=60) for _ in range(2))
    assert np.array_equal(one.page.picture, other.page.picture)
    assert one.tables == other.tables


@pytest.mark.parametrize("seed", range(6))
def test_cells_do_not_cover_each_other(seed: int) -> None:
    made: TablePage = table_page(seed, ruled=seed % 2 == 0, dpi=60)
    assert made.tables
    for table in made.tables:
        places = [
            (row, column)
            for cell in table.cells
            for row in range(cell.row, cell.row + cell.row_span)
            for column in range(cell.column, cell.column + cell.column_span)
        ]
        assert len(places) == len(set(places))
        assert all(0 <= row < table.rows and 0 <= column < table.columns for row, column in places)


def test_the_words_of_cells_are_printed_in_their_boxes() -> None:
    made = table_page(3, ruled=True, dpi=100)
    for table in made.tables:
        for cell in table.cells:
            box = cell.box
            assert box is not None
            inside = [
                word.text
                for word in made.page.words
                if box.left <= (word.box[0][0] + word.box[1][0]) / 2 <= box.right
                and box.top <= (word.box[0][1] + word.box[2][1]) / 2 <= box.bottom
            ]
            assert " ".join(inside) == cell.text


def test_pages_without_tables_have_text() -> None:
    assert all(page_without(seed, dpi=60).words for seed in range(9))
