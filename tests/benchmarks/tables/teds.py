"""Compares tables as trees: the similarity by tree edit distance (TEDS) that PubTabNet introduced, exactly.

A table is a tree of rows and cells, as in HTML. Two trees are as far apart as the cheapest edits that make them equal
(K. Zhang and D. Shasha, 1989): to remove or insert a node costs 1, to change a cell's spans costs 1, and to change its
text costs the share of its characters that change.
"""

from dataclasses import dataclass, field

from inference.factory.measures.located import folded
from inference.tables.table import Cell, Table
from tests.benchmarks.documents.measures import edits


@dataclass(frozen=True)
class Node:
    tag: str
    text: str = ""
    spans: tuple[int, int] = (1, 1)
    children: tuple["Node", ...] = ()


def similarity(found: Table, wanted: Table, *, structure_only: bool = False) -> float:
    """Return how alike two tables are, from 0 to 1."""
    ours, truth = (tree_of(table, with_text=not structure_only) for table in (found, wanted))
    return 1 - distance(ours, truth) / max(_size(ours), _size(truth))


def tree_of(table: Table, *, with_text: bool = True) -> Node:
    """Return the rows and cells of a table. Places that no cell covers are empty cells, as in HTML."""
    cells = {(cell.row, cell.column): cell for cell in table.cells}
    covered = {place for cell in table.cells for place in _covered(cell)}
    rows = []
    for row in range(table.rows):
        nodes = []
        for column in range(table.columns):
            cell = cells.get((row, column))
            if cell is not None:
                text = folded(cell.text) if with_text else ""
                nodes.append(Node("cell", text, (cell.row_span, cell.column_span)))
            elif (row, column) not in covered:
                nodes.append(Node("cell"))
        rows.append(Node("row", children=tuple(nodes)))
    return Node("table", children=tuple(rows))


def _covered(cell: Cell) -> list[tuple[int, int]]:
    rows, columns = range(cell.row, cell.row + cell.row_span), range(cell.column, cell.column + cell.column_span)
    return [(row, column) for row in rows for column in columns]


def _size(node: Node) -> int:
    return 1 + sum(map(_size, node.children))


@dataclass
class _Order:
    """The nodes of a tree, children before parents, each with the number of its leftmost leaf."""

    nodes: list[Node] = field(default_factory=list)
    leaves: list[int] = field(default_factory=list)

    def add(self, node: Node) -> int:
        first = [self.add(child) for child in node.children]
        self.nodes.append(node)
        self.leaves.append(first[0] if first else len(self.nodes) - 1)
        return self.leaves[-1]

    def roots(self) -> list[int]:
        """Return the nodes that have a sibling to the left, and the root: those whose trees are compared one by one."""
        return sorted({leaf: number for number, leaf in enumerate(self.leaves)}.values())


def distance(one: Node, other: Node) -> float:
    """Return the cost of the cheapest edits that make one tree the other."""
    comparison = _Comparison(one, other)
    for root in comparison.ours.roots():
        for counterpart in comparison.theirs.roots():
            comparison.compare(root, counterpart)
    return comparison.between[-1][-1]


class _Comparison:
    def __init__(self, one: Node, other: Node) -> None:
        self.ours, self.theirs = _Order(), _Order()
        self.ours.add(one)
        self.theirs.add(other)
        self.between = [[0.0] * len(self.theirs.nodes) for _ in self.ours.nodes]
        self._known: dict[tuple[str, str], float] = {}

    def compare(self, root: int, counterpart: int) -> None:
        """Fill in the distances between the trees on the leftmost paths of two roots."""
        ours, theirs, between = self.ours, self.theirs, self.between
        start, begin = ours.leaves[root], theirs.leaves[counterpart]
        columns = counterpart - begin + 2
        forest = [[float(column) for column in range(columns)]]
        for row, node in enumerate(range(start, root + 1), 1):
            leaf, above, here = ours.leaves[node], forest[-1], [float(row)]
            for column, partner in enumerate(range(begin, counterpart + 1), 1):
                edge = theirs.leaves[partner]
                least = min(above[column], here[column - 1]) + 1
                if leaf == start and edge == begin:
                    least = min(least, above[column - 1] + self._cost(ours.nodes[node], theirs.nodes[partner]))
                    between[node][partner] = least
                else:
                    least = min(least, forest[leaf - start][edge - begin] + between[node][partner])
                here.append(least)
            forest.append(here)

    def _cost(self, one: Node, other: Node) -> float:
        if one.tag != other.tag or one.spans != other.spans:
            return 1.0
        if one.text == other.text:
            return 0.0
        key = one.text, other.text
        if key not in self._known:
            self._known[key] = edits(*key) / max(map(len, key))
        return self._known[key]
