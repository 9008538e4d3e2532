"""A group of phrases that speak for a class of documents, and the places of a page where they do."""

from dataclasses import dataclass, field
from typing import Literal

from inference.classes.canonical import canonical, squeezed

Place = Literal["text", "title", "heading", "start", "label"]
"""The place: anywhere in the text, in a short line near the top, at the start of a very short line, at the start of
any line, or at the start of a label.
"""
LONG = 9
"""The number of letters from which a phrase is sought without regard to the spaces, which recognition may lose."""
GRAM = 5
"""The number of letters at the start of a long phrase by which most phrases are passed over fast."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Phrases are separated by bars. A star stands for the rest of a word, as in `*vertrag` or `rechnungs*`."""

    name: str
    place: Place
    phrases: str
    scale: float = 1.0
    """The number of phrases that make up about half of the evidence that there can be."""
    spaced: tuple[tuple[str, str], ...] = field(init=False)
    """The phrases to seek in the text with spaces, each with its first word, or "" if that has a star.

    A space at an end of a phrase stands for the border of a word.
    """
    joined: tuple[tuple[str, str], ...] = field(init=False)
    """The phrases to seek in the text without spaces, each with its first letters."""

    def __post_init__(self) -> None:
        phrases = [phrase.strip() for phrase in self.phrases.split("|")]
        joined = {phrase for phrase in phrases if self.place == "text" and _is_long(phrase)}
        spaced = dict.fromkeys(self._bordered(phrase) for phrase in phrases if phrase not in joined)
        letters = dict.fromkeys(sorted(_letters(phrase) for phrase in joined))
        object.__setattr__(self, "spaced", tuple((phrase, _first_word(phrase)) for phrase in spaced))
        object.__setattr__(self, "joined", tuple((phrase, phrase[:GRAM]) for phrase in letters))

    @property
    def label(self) -> str:
        return self.name.split("_")[0]

    def _bordered(self, phrase: str) -> str:
        start = "" if self.place in ("text", "title") else "\n"
        before, after = "" if phrase.startswith("*") else " ", "" if phrase.endswith("*") else " "
        return f"{start}{before}{canonical(phrase)}{after}"


def _is_long(phrase: str) -> bool:
    return "*" not in phrase and len(_letters(phrase)) >= LONG


def _letters(phrase: str) -> str:
    return squeezed(canonical(phrase))


def _first_word(phrase: str) -> str:
    words = phrase.split()
    whole = phrase[:1] in " \n" and (len(words) > 1 or phrase.endswith(" "))
    return words[0] if whole else ""
