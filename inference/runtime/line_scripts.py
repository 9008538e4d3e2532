"""The script of each recognized line, and the second reading of lines in scripts that the recognizer does not know."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

from inference.core.calls import Call
from inference.core.contracts import Pixels, VersionSpec
from inference.runtime.tesseract import TesseractReader
from inference.runtime.tesseract_languages import languages_of
from inference.runtime.text_recognition import BLANK, CharacterSet, Floats, RecognizedText
from inference.scripts.leanings import leanings
from inference.scripts.page_scripts import LATIN, OTHER, TURNED, ReadLine, is_doubtful, is_unknown, scripts_of
from inference.scripts.weights import fitted_weights

LANGUAGE_ROLE = "tesseract."
"""The beginning of the roles of language data: `tesseract.rus` and so on."""
SURE_READING = 0.9
"""The confidence from which Tesseract's reading of some lines shows that they are in its language."""
MIN_LOOKED_AT = 8.0
"""The length of the doubtful lines, as a multiple of their height, from which they are looked at upside down."""
LOOKED_AT_LINES = 5
MIN_DIFFERENCE = 0.2
"""The difference of the probability of no known script, between lines as they are and turned, that turns a page."""
TRIED_LINES = 3
"""The lines that are read in each of several languages of a script, to find out which one it is."""


class ScriptTeller:
    """Tells scripts apart by the characters that the recognizer leans to."""

    def __init__(self, characters: CharacterSet) -> None:
        self._chosen = characters.places(fitted_weights().characters)

    def probabilities(self, chances: Floats) -> tuple[float, ...]:
        """Return the probability of each script for a line's own `steps x classes`."""
        if self._chosen is None:
            return ()
        return tuple(fitted_weights().probabilities(leanings(chances, BLANK, self._chosen)).tolist())


def line_scripts(contents: Sequence[RecognizedText], lengths: Sequence[float]) -> list[str]:
    """Return the script of each line. A recognizer with other characters than ours reads nothing but Latin."""
    if not all(content.leanings for content in contents):
        return [LATIN] * len(contents)
    lines = [
        ReadLine(content.text, content.confidence, length, content.leanings)
        for content, length in zip(contents, lengths, strict=True)
    ]
    return scripts_of(lines, fitted_weights().scripts)


def mostly_doubtful(contents: Sequence[RecognizedText], lengths: Sequence[float]) -> bool:
    """Return whether more than half of the text could hardly be read, and there is enough of it to look again."""
    lines = list(zip(contents, lengths, strict=True))
    doubtful = sum(length for content, length in lines if is_doubtful(content.text, content.confidence, length))
    return doubtful >= MIN_LOOKED_AT and doubtful > sum(lengths) / 2


def longest(lengths: Sequence[float]) -> list[int]:
    """Return the places of the lines that show which way up a page is."""
    return sorted(range(len(lengths)), key=lambda place: -lengths[place])[:LOOKED_AT_LINES]


def are_upside_down(contents: Sequence[RecognizedText], turned: Sequence[RecognizedText]) -> bool:
    """Return whether lines look like a known script only after they were turned."""
    if not all(content.leanings for content in (*contents, *turned)):
        return False
    before, after = (fmean(map(_like_no_script, read)) for read in (contents, turned))
    return before > after + MIN_DIFFERENCE


def _like_no_script(content: RecognizedText) -> float:
    scripts = fitted_weights().scripts
    return sum(content.leanings[scripts.index(name)] for name in (TURNED, OTHER))


def languages_in(spec: VersionSpec) -> dict[str, Path]:
    """Return the language data of a version, by language, in the operator's order."""
    listed = {role.removeprefix(LANGUAGE_ROLE): Path(path) for role, path in spec.artifacts.items()}
    wanted = spec.config.get("languages", ())
    return {language: listed[language] for language in wanted if language in listed}


def read_again(
    reader: TesseractReader,
    data: Mapping[str, Path],
    lines: Sequence[Pixels],
    scripts: Sequence[str],
    call: Call,
) -> dict[int, RecognizedText]:
    """Read the lines in unknown scripts with Tesseract, as far as it has data. Return the new contents by place."""
    found: dict[int, RecognizedText] = {}
    for script in dict.fromkeys(filter(is_unknown, scripts) if data else ()):
        places = [place for place, of_line in enumerate(scripts) if of_line == script]
        pictures = [lines[place] for place in places]
        language = _language(reader, data, script, pictures, call)
        if language is not None:
            found |= dict(zip(places, reader.read(pictures, data[language], call), strict=True))
    return found


def _language(
    reader: TesseractReader, data: Mapping[str, Path], script: str, lines: Sequence[Pixels], call: Call
) -> str | None:
    """Return the language of the lines. If none is of their script, which may be wrong, a sure reading decides."""
    of_script = languages_of(script, data)
    if len(of_script) == 1:
        return of_script[0]
    tried = sorted(lines, key=lambda line: -line.shape[1])[:TRIED_LINES]
    sure = {language: _confidence(reader.read(tried, data[language], call)) for language in of_script or data}
    best = max(sure, key=sure.__getitem__)
    return best if of_script or sure[best] >= SURE_READING else None


def _confidence(contents: Sequence[RecognizedText]) -> float:
    """Return the mean confidence, a long line counting more."""
    characters = sum(len(content.text) for content in contents)
    return sum(content.confidence * len(content.text) for content in contents) / max(1, characters)
