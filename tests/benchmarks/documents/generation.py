"""Generate pages of many kinds and layouts from a seed."""

import random
from collections.abc import Callable
from importlib import import_module

from tests.benchmarks.documents import columns as columns_layout
from tests.benchmarks.documents.fonts import families, named
from tests.benchmarks.documents.sheet import Sheet
from tests.benchmarks.documents.studio import A4, LETTER, Studio, studio
from tests.benchmarks.documents.truth import GeneratedPage
from tests.benchmarks.documents.wording.sentences import Wording

CLASSES = ("letter", "invoice", "contract", "form", "report")
OTHERS = ("recipe", "menu", "news", "manual", "code", "poem")
COLUMNS = "columns"
KINDS = (*CLASSES, *OTHERS, COLUMNS)


def generate(
    seed: int,
    kind: str = COLUMNS,
    columns: int | None = None,
    *,
    language: str = "en",
    dpi: float = 200,
    font: str | None = None,
    half: int | None = None,
) -> GeneratedPage:
    """Draw a page; the same arguments give the same page where the same fonts are installed.

    `kind` is one of KINDS, or "other" for one of OTHERS. Pages of running text ("columns") and OTHERS are of the class
    "other". `font` names a family (see fonts.py) or the path of a font file. `half` (0 or 1) keeps to every second
    sentence, title and label of the vocabulary, so that two sets of pages can have no sentence in common.
    """
    chance = random.Random(f"{seed} {kind} {columns} {language}")
    layout = chance.choice(OTHERS) if kind == "other" else kind
    subject = "prose" if layout in (COLUMNS, "news") else layout
    width, height = A4 if language == "de" or chance.random() < 0.6 else LETTER
    sheet = Sheet(width, height, dpi)
    sheet.language = language
    family = named(font) if font else chance.choice(families())
    place = studio(
        sheet, chance, Wording(language, chance, subject, half), family, columns=columns, size=chance.uniform(9, 12)
    )
    composer(layout)(place)
    return sheet.page(layout if layout in CLASSES else "other", layout)


def composer(layout: str) -> Callable[[Studio], None]:
    if layout == COLUMNS:
        return columns_layout.compose
    module = import_module(f"{__package__}.kinds.{layout}")
    compose: Callable[[Studio], None] = module.compose
    return compose
