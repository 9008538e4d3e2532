"""Leaves out rules that are strokes of letters."""

from collections.abc import Sequence

from inference.tables.rules import Rule, Rules
from inference.tables.words import Word

INNER = 0.25
"""The share of the height of a word at its top and bottom where a line may be a rule."""
MAX_WIDER = 1.3
"""The length of a stroke, at most, as a multiple of the width of its word."""


def without_strokes(rules: Rules, words: Sequence[Word]) -> Rules:
    """Return the rules without level ones that run through a single word. They are parts of its letters."""
    return Rules(tuple(rule for rule in rules.level if not _is_stroke(rule, words)), rules.upright)


def _is_stroke(rule: Rule, words: Sequence[Word]) -> bool:
    middle = (rule.start + rule.end) / 2
    for word in words:
        box = word.box
        if rule.length <= MAX_WIDER * box.width and box.left < middle < box.right:
            inner = INNER * box.height
            if box.top + inner < rule.at < box.bottom - inner:
                return True
    return False
