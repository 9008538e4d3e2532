"""The decision which script each doubtful line of a page has. The lines of a page mostly share one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from inference.scripts.weights import Numbers

READ_SCRIPTS = frozenset({"latin", "chinese", "japanese"})
"""The scripts that the built-in text recognition reads."""
LATIN, HANDWRITING, OTHER = "latin", "handwriting", "other"
TURNED = "turned"
"""The look of lines in any script that are upside down."""
NAMES: Mapping[str, str] = {
    "cyrillic": "Cyrillic",
    "greek": "Greek",
    "arabic": "Arabic",
    "hebrew": "Hebrew",
    "devanagari": "Devanagari",
    "thai": "Thai",
    "hangul": "Korean",
    "georgian": "Georgian",
    "armenian": "Armenian",
    "bengali": "Bengali",
    "tamil": "Tamil",
}
"""The names of scripts that the recognition does not read, as a sentence has them."""

SURE_CONFIDENCE = 0.93
"""The confidence from which a line was read, if it has as many letters as its width asks for."""
MIN_LETTERS_PER_HEIGHT = 0.7
"""The letters for each height of a line below which it is hardly read. Latin has two and more."""
MIN_PRIOR = 0.02


@dataclass(frozen=True, slots=True)
class ReadLine:
    text: str
    confidence: float
    length: float
    """The width as a multiple of the height."""
    leanings: Sequence[float]
    """The probability of each script, by this line alone."""

    @property
    def is_doubtful(self) -> bool:
        return is_doubtful(self.text, self.confidence, self.length)


def is_doubtful(text: str, confidence: float, length: float) -> bool:
    """Return whether a line was read without confidence, or has far too few letters for its length."""
    letters = sum(map(str.isalnum, text))
    return confidence < SURE_CONFIDENCE or letters < MIN_LETTERS_PER_HEIGHT * length


def scripts_of(lines: Sequence[ReadLine], scripts: Sequence[str]) -> list[str]:
    """Return the script of each line. Lines that were read well are taken for Latin, whatever they have."""
    if not any(line.is_doubtful for line in lines):
        return [LATIN] * len(lines)
    chances = np.array([line.leanings for line in lines])
    chances[[not line.is_doubtful for line in lines]] = np.equal(scripts, LATIN)
    chances = chances * _prior(chances, np.array([line.length for line in lines]))
    return [scripts[best] for best in chances.argmax(axis=1)]


def _prior(chances: Numbers, lengths: Numbers) -> Numbers:
    """Return the share of each script on the page, a long line counting more."""
    shares = (chances * lengths[:, None]).sum(axis=0) / max(float(lengths.sum()), 1e-9)
    return np.asarray(np.maximum(shares, MIN_PRIOR))


def is_unknown(script: str) -> bool:
    """Return whether the built-in recognition does not know the script."""
    return script not in READ_SCRIPTS
