"""Finds the tables of a page: those whose cells are drawn, those between level rules, and those of white alone."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from inference.core.contracts import TextLine
from inference.layout.boxes import Box
from inference.tables.aligned import aligned_tables
from inference.tables.blocks import prose_boxes
from inference.tables.doubt import ALIGNED, BETWEEN_RULES, DIVIDED, DRAWN, with_doubt
from inference.tables.drawn import build_drawn, is_within
from inference.tables.end_rows import with_first_row, with_last_row
from inference.tables.grid import build
from inference.tables.headers import with_headers
from inference.tables.lattice import find_lattices
from inference.tables.plots import is_plot
from inference.tables.rules import Rule, Rules, rules_of, rules_within
from inference.tables.strokes import without_strokes
from inference.tables.table import Table
from inference.tables.words import Word, usual_height, words_of

MIN_FILLED = 0.35
"""The share of the places of a table that have text, at least. Plots have fewer."""
MIN_CELLS = 4
MIN_SEVERAL = 0.34
"""The share of the rows with text that have several texts, at least. Forms have fewer."""
MIN_PROSE_WIDTH = 0.75
"""The share of the width between two rules that a line of running text fills, at least."""


def find_tables(lines: Sequence[TextLine], rule_boxes: Sequence[Box]) -> list[Table]:
    """Return the tables of an upright page from top to bottom."""
    words = words_of(lines)
    if not words:
        return []
    height = usual_height(words)
    rules = without_strokes(rules_of(rule_boxes, height), words)
    tables = list(_ruled_tables(words, rules, height))
    taken = {word.line for word in words if any(is_within(word, table.box) for table in tables if table.box)}
    free = [word for word in words if word.line not in taken]
    tables += (with_doubt(with_headers(table), ALIGNED) for table in aligned_tables(free, rules, height))
    return sorted(tables, key=lambda table: (table.box.top, table.box.left) if table.box else (0.0, 0.0))


def _ruled_tables(words: Sequence[Word], rules: Rules, height: float) -> Iterator[Table]:
    free = list(words)
    for lattice in find_lattices(rules, height):
        inside = [word for word in free if is_within(word, lattice.box)]
        table = build_drawn(lattice, inside, rules_within(rules, lattice.box), usual_height(inside)) if inside else None
        if table is not None and _is_table(table):
            whole = table.rows == len(lattice.down) - 1 and table.columns == len(lattice.across) - 1
            if not whole and is_plot(inside, lattice.box):
                continue
            yield with_doubt(with_headers(table), DRAWN if whole else DIVIDED)
            free = [word for word in free if not is_within(word, lattice.box)]
    for area in _between_rules(rules, words, height):
        above = with_first_row(area, rules_within(rules, area), free)
        below = with_last_row(area, rules_within(rules, area), free, labels=above == area)
        box = replace(below, top=above.top)
        inside = [word for word in free if is_within(word, box)]
        if not inside or is_plot(inside, box):
            continue
        table = build(inside, box, rules_within(rules, box))
        if table is not None and _is_table(table):
            yield with_doubt(with_headers(replace(table, box=box)), BETWEEN_RULES)
            free = [word for word in free if not is_within(word, box)]


def _between_rules(rules: Rules, words: Sequence[Word], height: float) -> Iterator[Box]:
    """Yield the areas between level rules of the same width, from the first to the last."""
    groups: list[list[Rule]] = []
    for rule in _across(rules.level, height):
        for group in groups:
            if abs(group[0].start - rule.start) <= height and abs(group[0].end - rule.end) <= height:
                group.append(rule)
                break
        else:
            groups.append([rule])
    prose = prose_boxes(words, height)
    for group in groups:
        for part in _without_prose(group, prose):
            if len(part) > 1:
                yield Box(min(rule.start for rule in part), part[0].at, max(rule.end for rule in part), part[-1].at)


def _without_prose(group: Sequence[Rule], prose: Sequence[Box]) -> Iterator[list[Rule]]:
    """Yield the rules that follow each other without running text between them."""
    part = [group[0]]
    for before, after in pairwise(group):
        if any(
            before.at < box.middle < after.at
            and before.covers(box.left, box.right) > 0
            and Rule(0, box.left, box.right).covers(before.start, before.end) >= MIN_PROSE_WIDTH
            for box in prose
        ):
            yield part
            part = []
        part.append(after)
    yield part


def _across(level: Sequence[Rule], height: float) -> list[Rule]:
    """Return level rules, those side by side as one."""
    joined: list[Rule] = []
    for rule in sorted(level, key=lambda each: (each.at, each.start)):
        last = joined[-1] if joined else None
        if last is not None and rule.at - last.at <= 0.2 * height and rule.start - last.end <= 3 * height:
            joined[-1] = Rule(last.at, min(last.start, rule.start), max(last.end, rule.end))
        else:
            joined.append(rule)
    return joined


def _is_table(table: Table) -> bool:
    if table.rows < 2 or table.columns < 2:
        return False
    filled = sum(cell.row_span * cell.column_span for cell in table.cells if cell.text)
    texts = sum(bool(cell.text) for cell in table.cells)
    by_row = Counter(cell.row for cell in table.cells if cell.text)
    if sum(count > 1 for count in by_row.values()) < MIN_SEVERAL * len(by_row):
        return False
    return texts >= MIN_CELLS and filled >= MIN_FILLED * table.rows * table.columns
