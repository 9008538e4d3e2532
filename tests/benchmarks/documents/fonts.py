"""Find the fonts that are installed; those that lack are left out, and Pillow's own font stands in for them."""

import glob
import os
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fontTools.ttLib import TTFont
from PIL import ImageFont

Font = ImageFont.FreeTypeFont
FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts", "/Library/Fonts")
BUILT_IN = "Pillow"


@dataclass(frozen=True)
class Family:
    """Names the files of a family of fonts; a style that lacks is shown by the regular one."""

    name: str
    regular: str = ""
    bold: str = ""
    italic: str = ""
    serif: bool = False

    def file(self, style: str) -> str:
        return {"bold": self.bold, "italic": self.italic}.get(style, "") or self.regular


WANTED = (
    Family("DejaVu Sans", "DejaVuSans", "DejaVuSans-Bold", "DejaVuSans-Oblique"),
    Family("DejaVu Sans Condensed", "DejaVuSansCondensed", "DejaVuSansCondensed-Bold", "DejaVuSansCondensed-Oblique"),
    Family("DejaVu Serif", "DejaVuSerif", "DejaVuSerif-Bold", "DejaVuSerif-Italic", serif=True),
    Family("Liberation Sans", "LiberationSans-Regular", "LiberationSans-Bold", "LiberationSans-Italic"),
    Family("Liberation Serif", "LiberationSerif-Regular", "LiberationSerif-Bold", "LiberationSerif-Italic", serif=True),
    Family("Carlito", "Carlito-Regular", "Carlito-Bold", "Carlito-Italic"),
    Family("Noto Sans", "NotoSans-Regular", "NotoSans-Bold", "NotoSans-Italic"),
    Family("Noto Serif", "NotoSerif-Regular", "NotoSerif-Bold", "NotoSerif-Italic", serif=True),
    Family("FreeSans", "FreeSans", "FreeSansBold", "FreeSansOblique"),
    Family("FreeSerif", "FreeSerif", "FreeSerifBold", "FreeSerifItalic", serif=True),
)
FIXED_WIDTH = (
    Family("DejaVu Sans Mono", "DejaVuSansMono", "DejaVuSansMono-Bold", "DejaVuSansMono-Oblique"),
    Family("Liberation Mono", "LiberationMono-Regular", "LiberationMono-Bold", "LiberationMono-Italic"),
    Family("FreeMono", "FreeMono", "FreeMonoBold", "FreeMonoOblique"),
)
HANDWRITTEN = (
    Family("Dancing Script", "DancingScript-Regular", "DancingScript-Bold"),
    Family("dkg", "dkg", "dkgBd", "dkgIt"),
    Family("Breip", "Breip"),
    Family("Femke Klaver", "femkeklaver"),
    Family("Kristi", "Kristi"),
    Family("Kaushan Script", "KaushanScript-Regular"),
    Family("Ecolier", "Ecolier-court"),
    Family("Humor Sans", "Humor-Sans"),
)


@cache
def installed() -> dict[str, str]:
    """Return the path of each font file that is installed, by its name without the suffix."""
    paths = _listed() if shutil.which("fc-list") else []
    for folder in FOLDERS:
        paths += glob.glob(os.path.expanduser(f"{folder}/**/*.[toTO][tT][fFcC]"), recursive=True)
    return {Path(path).stem: path for path in sorted(paths)}


def _listed() -> list[str]:
    listed = subprocess.run(["fc-list", "--format", "%{file}\n"], capture_output=True, text=True, check=False)
    return listed.stdout.split("\n")[:-1]


def there(wanted: tuple[Family, ...]) -> list[Family]:
    """Return the families that are installed, with the paths of their files."""
    known = installed()
    return [
        Family(one.name, known[one.regular], known.get(one.bold, ""), known.get(one.italic, ""), one.serif)
        for one in wanted
        if one.regular in known
    ]


@cache
def families() -> list[Family]:
    """Return the families for Latin text, at least Pillow's own."""
    return there(WANTED) or [Family(BUILT_IN)]


@cache
def fixed_width() -> list[Family]:
    return there(FIXED_WIDTH) or [Family(BUILT_IN)]


@cache
def handwritten() -> list[Family]:
    """Return the families that look handwritten; none if none is installed."""
    return there(HANDWRITTEN)


def named(name: str) -> Family:
    """Return the family of this name, or one of the font file at this path."""
    for family in (*families(), *fixed_width(), *handwritten()):
        if family.name == name:
            return family
    return Family(BUILT_IN) if name == BUILT_IN else Family(name, name)


@cache
def face(family: Family, style: str, size_px: int) -> Font:
    """Load a font; `style` is "regular", "bold" or "italic"."""
    path = family.file(style)
    if path:
        return ImageFont.truetype(path, size_px)
    font = ImageFont.load_default(size_px)
    assert isinstance(font, Font)
    return font


@cache
def letters(path: str) -> frozenset[int]:
    """Return the characters that a font file can show, as code points."""
    with TTFont(path, fontNumber=0, lazy=True) as font:
        return frozenset(font.getBestCmap())


def shows(family: Family, text: str) -> bool:
    """Return whether a font has all characters of a text; Pillow's own is taken to have them."""
    return not family.regular or all(ord(letter) in letters(family.regular) for letter in text)
