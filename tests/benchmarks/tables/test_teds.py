"""Trees of tables have the distances that can be counted by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.tables.table import Cell, Table
from tests.benchmarks.tables.teds import Node, distance, similarity

SMALL = Table(2, 2, (Cell(0, 0, "a", None), Cell(0, 1, "b", None), Cell(1, 0, "c", None), Cell(1, 1, "d", None)))


def tree(text: str) -> Node:
    """Return the tree of a text such as a(b,c(d))."""

    def read(at: int) -> tuple[Node, int]:
        tag, children = text[at], []
        at += 1
        if text[at : at + 1] == "(":
            while text[at] != ")":
                child, at = read(at + 1)
                children.append(child)
            at += 1
        return Node(tag, children=tuple(children)), at

    return read(0)[0]


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        ("a", "a", 0),
        ("a", "b", 1),
        ("a(b,c)", "a(b)", 1),
        ("a(b(c))", "a(c)", 1),
        ("f(d(a,c(b)),e)", "f(c(d(a,b)),e)", 2),
        ("a(b,c,d)", "a(d,b,c)", 2),
        ("a(b(x,y),c)", "a(x,y,c)", 1),
    ],
)
def test_distances_of_small_trees(one: str, other: str, wanted: int) -> None:
    assert distance(tree(one), tree(other)) == wanted
    assert distance(tree(other), tree(one)) == wanted


def test_a_table_is_like_itself() -> None:
    assert similarity(SMALL, SMALL) == 1


def test_a_wrong_text_costs_the_share_of_its_characters() -> None:
    cells = (Cell(0, 0, "cat", None), Cell(0, 1, "b", None))
    wrong = (Cell(0, 0, "cut", None), Cell(0, 1, "b", None))
    assert similarity(Table(1, 2, wrong), Table(1, 2, cells)) == pytest.approx(1 - (1 / 3) / 4)
    assert similarity(Table(1, 2, wrong), Table(1, 2, cells), structure_only=True) == 1


def test_a_missing_row_costs_its_cells_and_itself() -> None:
    assert similarity(Table(1, 2, SMALL.cells[:2]), SMALL) == pytest.approx(1 - 3 / 7)


def test_a_wrong_span_costs_one() -> None:
    wide = Table(2, 2, (Cell(0, 0, "a", None, 1, 2), Cell(1, 0, "c", None), Cell(1, 1, "d", None)))
    narrow = Table(2, 2, (Cell(0, 0, "a", None), *wide.cells[1:]))
    assert similarity(wide, narrow) == pytest.approx(1 - 2 / 7)


def test_places_without_a_cell_are_empty_cells() -> None:
    assert similarity(Table(2, 2, SMALL.cells[:3]), SMALL) == pytest.approx(1 - 1 / 7)


TREES = st.recursive(
    st.builds(Node, st.sampled_from("ab")),
    lambda inner: st.builds(Node, st.sampled_from("ab"), children=st.lists(inner, max_size=3).map(tuple)),
    max_leaves=6,
)


@given(TREES, TREES, TREES)
def test_no_way_around_is_shorter(one: Node, other: Node, third: Node) -> None:
    assert distance(one, other) == distance(other, one)
    assert distance(one, third) <= distance(one, other) + distance(other, third)
