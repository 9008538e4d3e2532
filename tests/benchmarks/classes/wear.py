"""Wear the text of a page: errors of recognition, lost lines, half of a page, no boxes."""

import random
from dataclasses import replace

from inference.core.contracts import TextLine
from tests.benchmarks.classes.samples import Sample, laid_out

CONFUSIONS = {"l": "1", "i": "l", "o": "0", "O": "0", "s": "5", "S": "5", "B": "8", "e": "c", "n": "u", "m": "rn"}
CONFUSIONS |= {"ä": "a", "ö": "o", "ü": "u", "ß": "B", "w": "vv", "h": "b", "t": "f", ",": ".", ".": ","}
LETTERS = "abcdefghijklmnopqrstuvwxyzäöüß0123456789"
MAX_ERRORS = 0.05


def worn(sample: Sample, chance: random.Random) -> Sample:
    """Return the page in a worse state, by chance as it is."""
    lines = sample.lines
    if chance.random() < 0.5:
        lines = part_of(lines, chance)
    if chance.random() < 0.6:
        rate = chance.uniform(0, MAX_ERRORS)
        lines = tuple(replace(line, text=misread(line.text, chance, rate)) for line in lines)
    sample = replace(sample, lines=lines)
    return as_text(sample) if chance.random() < 0.35 else laid_out(sample)


def as_text(sample: Sample) -> Sample:
    """Return the page as plain text, with its lines as they were printed."""
    text = "\n".join(line.text for line in sample.lines)
    return Sample(sample.label, sample.layout, sample.language, text)


def part_of(lines: tuple[TextLine, ...], chance: random.Random) -> tuple[TextLine, ...]:
    """Return the first or second half of the lines, or a quarter, or lose some of them."""
    middle = len(lines) // 2
    start = chance.randrange(max(1, len(lines) * 3 // 4))
    some = tuple(line for line in lines if chance.random() < 0.7)
    return chance.choice((lines[:middle], lines[middle:], lines[start : start + len(lines) // 4 + 1], some)) or lines


def misread(text: str, chance: random.Random, rate: float) -> str:
    """Return the text with errors in this share of its characters."""
    return "".join(_misread(sign, chance) if chance.random() < rate else sign for sign in text)


def _misread(sign: str, chance: random.Random) -> str:
    kind = chance.random()
    if sign in CONFUSIONS and kind < 0.6:
        return CONFUSIONS[sign]
    if sign == " " or kind < 0.8:
        return ""
    return chance.choice((sign + " ", chance.choice(LETTERS), sign.swapcase()))
