"""Generate pages and lines in many scripts, and in handwriting, from lists of common words."""

import random
import unicodedata
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from tests.benchmarks.documents.fonts import Family, Font, face, families, handwritten, letters, shows, there
from tests.benchmarks.documents.sheet import Block, Sheet, advance
from tests.benchmarks.documents.truth import GeneratedPage

VOCABULARIES = Path(__file__).parent / "vocabularies"
A4_PT = (595.0, 842.0)
MARGIN_PT = 60.0
LINE_MARGIN_PT = 4.0


@dataclass(frozen=True)
class Script:
    """Says how a script is written."""

    language: str
    vocabulary: str
    fonts: tuple[Family, ...]
    rtl: bool = False
    spaced: bool = True
    numbers: bool = True
    stop: str = "."
    comma: str = ","


def _noto(script: str, *others: str) -> tuple[Family, ...]:
    names = (f"NotoSans{script}-Regular", f"NotoSerif{script}-Regular", *others)
    return tuple(Family(name, name, name.replace("Regular", "Bold")) for name in names)


CJK = ("NotoSansCJK-Regular", "NotoSerifCJK-Regular")
EUROPEAN = _noto("", "DejaVuSans", "DejaVuSerif", "LiberationSans-Regular", "LiberationSerif-Regular", "FreeSerif")
SCRIPTS = {
    "cyrillic": Script("ru", "russian", EUROPEAN),
    "greek": Script("el", "greek", EUROPEAN),
    "arabic": Script(
        "ar", "arabic", _noto("Arabic", "NotoNaskhArabic-Regular", "NotoKufiArabic-Regular"), rtl=True, comma="،"
    ),
    "hebrew": Script("he", "hebrew", _noto("Hebrew", "DejaVuSans", "FreeSerif"), rtl=True),
    "devanagari": Script("hi", "hindi", _noto("Devanagari"), stop="।"),
    "thai": Script("th", "thai", _noto("Thai", "Loma", "Garuda", "Norasi"), spaced=False, stop="", comma=""),
    "hangul": Script("ko", "korean", _noto("", *CJK, "NanumGothic", "NanumMyeongjo")[2:]),
    "georgian": Script("ka", "georgian", _noto("Georgian", "DejaVuSans", "DejaVuSerif")),
    "armenian": Script("hy", "armenian", _noto("Armenian", "DejaVuSans", "DejaVuSerif"), stop="։"),
    "bengali": Script("bn", "bengali", _noto("Bengali"), stop="।"),
    "tamil": Script("ta", "tamil", _noto("Tamil")),
    "japanese": Script(
        "ja", "japanese", _noto("", *CJK, "ipaexg", "ipag", "ipam")[2:], spaced=False, stop="。", comma="、"
    ),
    "chinese": Script(
        "zh", "chinese", _noto("", *CJK, "wqy-zenhei", "wqy-microhei")[2:], spaced=False, stop="。", comma="，"
    ),
    "handwriting": Script("en", "english", ()),
    "latin": Script("en", "english", ()),
}
OTHERS = ("Gujarati", "Gurmukhi", "Telugu", "Kannada", "Malayalam", "Sinhala", "Khmer", "Lao", "Myanmar", "Ethiopic")
"""Scripts without a list of words: their words are letters by chance."""
SCRIPTS |= {name.lower(): Script("und", "", _noto(name), numbers=False) for name in OTHERS}
MADE_UP_WORDS = 300


def families_for(name: str) -> list[Family]:
    """Return the fonts that are installed for a script; none if there is none."""
    if name == "latin":
        return families()
    return handwritten() if name == "handwriting" else there(SCRIPTS[name].fonts)


def available() -> list[str]:
    """Return the names of the scripts for which a font is installed."""
    return [name for name in SCRIPTS if families_for(name)]


@cache
def vocabulary(name: str) -> tuple[str, ...]:
    return tuple((VOCABULARIES / f"{name}.txt").read_text(encoding="utf-8").split())


def script_page(
    seed: int, script: str, *, dpi: float = 200, lines: int | None = None, size_pt: float | None = None
) -> GeneratedPage:
    """Draw an A4 page of paragraphs in a script; `lines` limits how many are printed."""
    chance, writer = _start(seed, script, dpi=dpi, size_pt=size_pt, area_pt=A4_PT, margin_pt=MARGIN_PT)
    limit = lines or 10_000
    count = 0
    while count < limit and writer.fits():
        count += writer.paragraph(chance.randint(2, 7), limit - count)
    return writer.sheet.page("other", script)


def script_line(
    seed: int, script: str, *, dpi: float = 200, words: int = 6, size_pt: float | None = None
) -> GeneratedPage:
    """Draw one line of a script on a strip that it fits into."""
    _, probe = _start(seed, script, dpi=dpi, size_pt=size_pt, area_pt=A4_PT, margin_pt=LINE_MARGIN_PT)
    text = probe.sentence(words)
    width = probe.length(text) * 72 / dpi + 2 * LINE_MARGIN_PT + 2
    height = probe.size * 72 / dpi * 1.9 + 2 * LINE_MARGIN_PT
    _, writer = _start(seed, script, dpi=dpi, size_pt=size_pt, area_pt=(width, height), margin_pt=LINE_MARGIN_PT)
    writer.line(writer.sheet.block(Block("paragraph", between=writer.between)), text)
    return writer.sheet.page("other", script)


def _start(
    seed: int, script: str, *, dpi: float, size_pt: float | None, area_pt: tuple[float, float], margin_pt: float
) -> tuple[random.Random, "Writer"]:
    chance = random.Random(f"{seed} {script}")
    fonts = families_for(script)
    if not fonts:
        raise ValueError(f"No font for the script {script!r} is installed. These have one: {', '.join(available())}.")
    family = chance.choice(fonts)
    size = size_pt or chance.uniform(10, 14) * (1.4 if script == "handwriting" else 1)
    sheet = Sheet(*area_pt, dpi)
    sheet.language = SCRIPTS[script].language
    font = face(family, "regular", sheet.px(size))
    return chance, Writer(
        sheet, _shown(SCRIPTS[script], family), font, chance, sheet.px(margin_pt), words=_words(script, family)
    )


def _shown(script: Script, family: Family) -> Script:
    """Return the script without the marks that the font lacks."""
    stop, comma = (mark if shows(family, mark) else "" for mark in (script.stop, script.comma))
    numbers = script.spaced and shows(family, "0123456789")
    return replace(script, stop=stop, comma=comma, numbers=numbers)


@cache
def _words(script: str, family: Family) -> list[str]:
    if not SCRIPTS[script].vocabulary:
        return _made_up(script, family)
    return [word for word in vocabulary(SCRIPTS[script].vocabulary) if shows(family, word)]


def _made_up(script: str, family: Family) -> list[str]:
    chance = random.Random(script)
    known = sorted(filter(str.isalpha, map(chr, letters(family.regular))))
    own = [letter for letter in known if unicodedata.name(letter, "").startswith(script.upper())]
    return ["".join(chance.choices(own, k=chance.randint(2, 8))) for _ in range(MADE_UP_WORDS)]


class Writer:
    """Writes lines of a script from the top of a sheet to its bottom."""

    def __init__(
        self, sheet: Sheet, script: Script, font: Font, chance: random.Random, margin: int, *, words: list[str]
    ) -> None:
        self.sheet, self.script, self.font, self.chance, self.margin = sheet, script, font, chance, margin
        self.words = words
        self.size = float(font.size)
        self.between = " " if script.spaced else ""
        self.gap = advance(font, " ") if script.spaced else 0.0
        self.pitch = round(self.size * chance.choice((1.5, 1.65, 1.9)))
        self.y = margin

    def fits(self) -> bool:
        return self.y + self.pitch <= self.sheet.height - self.margin

    def sentence(self, words: int) -> list[str]:
        """Return words by chance, with commas, numbers and a stop."""
        picked = self.chance.choices(self.words, k=words)
        for at in range(2, words - 1):
            fate = self.chance.random()
            if fate < 0.08:
                picked[at] += self.script.comma
            elif fate < 0.1 and self.script.numbers:
                picked[at] = str(self.chance.randint(2, 2026))
        picked[-1] += self.script.stop
        return picked

    def length(self, words: list[str]) -> float:
        return sum(advance(self.font, word, self.script.rtl) for word in words) + self.gap * (len(words) - 1)

    def paragraph(self, sentences: int, max_lines: int) -> int:
        """Print a paragraph as far as there is place; return how many lines it has."""
        words = [word for _ in range(sentences) for word in self.sentence(self.chance.randint(5, 12))]
        block = self.sheet.block(Block("paragraph", between=self.between))
        room = self.sheet.width - 2 * self.margin
        count = 0
        while words and count < max_lines and self.fits():
            taken = 1
            while taken < len(words) and self.length(words[: taken + 1]) <= room:
                taken += 1
            self.line(block, words[:taken])
            words = words[taken:]
            count += 1
        self.y += self.pitch // 2
        return count

    def line(self, block: Block, words: list[str]) -> None:
        rtl = self.script.rtl
        start = self.sheet.width - self.margin if rtl else self.margin
        baseline = self.y + round(self.size * 1.15)
        self.sheet.print_line(block, words, self.font, start, baseline, gap=self.gap, rtl=rtl)
        self.y += self.pitch
