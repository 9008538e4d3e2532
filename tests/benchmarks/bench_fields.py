"""Find the fields of generated invoices and receipts, as printed and as read from askew scans.

Run from the repository's root: python -m tests.benchmarks.bench_fields [scanned documents] [tuning]
Figures come from the templates with odd numbers; thresholds were chosen on those with even numbers (`tuning`).
"""

import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

from inference.classes.page_class import class_of
from inference.core.contracts import Json, TextLine
from inference.fields.candidates import page_candidates
from inference.fields.document import TYPES, document_fields
from inference.layout.boxes import Box
from inference.tables.table import Table
from tests.benchmarks.bench_documents import Reader, Row
from tests.benchmarks.circumstances import circumstances
from tests.benchmarks.documents import GeneratedPage, degrade, generate
from tests.benchmarks.documents.billing.design import TEMPLATES, TEST, TUNING
from tests.benchmarks.documents.billing.generation import generate_billing
from tests.benchmarks.documents.billing.truth import BillingDocument
from tests.benchmarks.documents.billing.words import LANGUAGES
from tests.benchmarks.documents.measures import calibration_error

SEED, TUNING_SEED = 700_000, 1
SCANNED = 60
OTHER_KINDS = ("letter", "contract", "form", "report", "recipe", "menu", "news", "manual", "poem")
OTHERS = 54
BOUND = 0.8
"""The confidence above which fields are counted apart."""
LEGIBLE_DPI = (150, 200, 300)
MAX_SKEW = 4.0


@dataclass(frozen=True)
class ReadPage:
    lines: Sequence[TextLine]
    width: float
    height: float
    probabilities: Json
    tables: Sequence[Table] = ()


@dataclass
class Score:
    reported: int = 0
    right: int = 0
    there: int = 0
    found: int = 0
    absent: int = 0
    made_up: int = 0
    unquoted: int = 0
    placed: int = 0
    contradictions: int = 0
    documents: int = 0
    confidences: list[float] = field(default_factory=list)
    rightness: list[float] = field(default_factory=list)
    mistakes: Counter[str] = field(default_factory=Counter)
    details: list[str] = field(default_factory=list)


def printed(page: GeneratedPage, tables: Sequence[Table] = ()) -> ReadPage:
    """Return a page as its own text layer gives it."""
    lines = [TextLine(line.text, line.box, 1.0) for line in page.lines]
    height, width = page.picture.shape[:2]
    found = class_of("\n".join(line.text for line in lines), (), lines, width, height)
    return ReadPage(lines, width, height, {"probabilities": found.probabilities}, tables)


def scanned(reader: Reader, page: GeneratedPage) -> ReadPage:
    result = reader.run("parse", page.picture)
    lines = [TextLine(line["text"], line["box"], line["confidence"]) for line in result["lines"]]
    return ReadPage(lines, result["width"], result["height"], result["class"])


def worn(document: BillingDocument, seed: int) -> BillingDocument:
    """Return the document as it comes out of a scanner, a little askew."""
    chance = random.Random(seed)
    skew, noise, shadow = chance.uniform(-MAX_SKEW, MAX_SKEW), chance.choice((0, 4, 8)), chance.choice((0, 0.25))
    blur, jpeg = chance.choice((0, 0.6)), chance.choice((None, 50, 75))
    pages = [
        degrade(page, seed, skew=skew, noise=noise, shadow=shadow, blur=blur, jpeg=jpeg) for page in document.pages
    ]
    return replace(document, pages=pages)


def answer(pages: Sequence[ReadPage]) -> Json:
    found = [page_candidates(page.lines, page.tables, page.width, page.height, page.probabilities) for page in pages]
    return document_fields(found)


def documents(half: int, count: int, seed: int, dpi: float | None = None) -> Iterator[BillingDocument]:
    """Yield documents of all templates of a half, each in the next language."""
    templates = list(range(half, TEMPLATES, 2))
    for number in range(count):
        template = templates[number % len(templates)]
        language = LANGUAGES[(number + number // len(templates)) % len(LANGUAGES)]
        resolution = dpi or LEGIBLE_DPI[number % len(LEGIBLE_DPI)]
        yield generate_billing(template, language, seed + number, dpi=resolution)


def count_fields(score: Score, document: BillingDocument | None, pages: Sequence[ReadPage], result: Json) -> None:
    """Add the fields of a document to a score. Without a document nothing should be there."""
    truths = document.fields if document is not None else {}
    named = {found["name"]: found for found in result["fields"]}
    score.documents += 1
    score.contradictions += any(warning["code"] == "fields_contradict" for warning in result["warnings"])
    for name in TYPES:
        if name not in truths:
            score.absent += 1
            score.made_up += name in named
        else:
            score.there += 1
    for name, found in named.items():
        right = name in truths and _is_right(found, truths[name].value, truths[name].normalized)
        score.reported += 1
        score.right += right
        score.found += right
        score.confidences.append(found["confidence"])
        score.rightness.append(float(right))
        score.unquoted += not _is_quoted(found, pages)
        score.placed += right and document is not None and _is_placed(found, document)
        if not right:
            score.mistakes[name] += 1
            score.details.append(_detail(document, name, found))
    for name in truths.keys() - named.keys():
        score.mistakes[f"no {name}"] += 1
        score.details.append(_detail(document, name, None))


def _detail(document: BillingDocument | None, name: str, found: Json | None) -> str:
    which = f"{document.template} {document.language} {document.kind}" if document else "other"
    truth = document.fields[name].value if document and name in document.fields else None
    given = f"{found['value']!r} {found['normalized']} {found['confidence']}" if found else None
    return f"{which}: {name} is {truth!r}, found {given}"


def _is_right(found: Mapping[str, Json], value: str, normalized: str) -> bool:
    if found["type"] in ("date", "amount", "iban", "currency"):
        return bool(found["normalized"] == normalized)
    return _letters(found["value"]) == _letters(value)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _is_quoted(found: Mapping[str, Json], pages: Sequence[ReadPage]) -> bool:
    texts = [line.text for line in pages[found["page"] - 1].lines]
    return found["quote"] in texts and found["value"] in found["quote"]


def _is_placed(found: Mapping[str, Json], document: BillingDocument) -> bool:
    """Return whether the box of a field covers one of the places where the value is printed."""
    if not document.fields[found["name"]].places:
        return True
    box = Box.of_corners(found["box"])
    return any(
        page == found["page"] and box.shares_width(truth) > 0.6 and box.shares_height(truth) > 0.5
        for page, truth in document.boxes(found["name"])
    )


def rows_of(what: str, score: Score) -> Iterator[Row]:
    yield Row(f"{what}: right, of {score.reported} fields", f"{score.right / max(1, score.reported):.1%}", ">= 97 %")
    yield Row(f"{what}: found, of {score.there} fields", f"{score.found / max(1, score.there):.1%}", ">= 90 %")
    yield Row(
        f"{what}: there though absent, of {score.absent}", f"{score.made_up / max(1, score.absent):.2%}", "<= 0.5 %"
    )
    yield Row(f"{what}: not in their quote, or that not on the page", str(score.unquoted), "0")
    yield Row(f"{what}: in their box, of those right", f"{score.placed / max(1, score.right):.1%}", "")
    error = calibration_error(score.confidences, score.rightness)
    yield Row(f"{what}: expected calibration error", f"{error:.3f}", "<= 0.05")
    sure = [right for sure, right in zip(score.confidences, score.rightness, strict=True) if sure >= BOUND]
    unsure = [right for sure, right in zip(score.confidences, score.rightness, strict=True) if sure < BOUND]
    shares = f"{fmean(sure or [0]):.1%} of {len(sure)}, {fmean(unsure or [0]):.1%} of {len(unsure)}"
    yield Row(f"{what}: right from a confidence of {BOUND}, and below", shares, "apart")
    yield Row(f"{what}: with a contradiction, of {score.documents}", str(score.contradictions), "")


def as_printed(half: int, seed: int) -> Iterator[Row]:
    score, items, timed = Score(), [0, 0, 0], []
    page_candidates([TextLine("Total", None, None)], (), None, None, None)  # This loads the labels.
    for document in documents(half, 6 * TEMPLATES // 2, seed, dpi=100):
        pages = [printed(page, tables) for page, tables in zip(document.pages, document.tables, strict=True)]
        started = time.process_time()
        result = answer(pages)
        timed.append(1000 * (time.process_time() - started) / len(pages))
        count_fields(score, document, pages, result)
        _count_items(items, document, result)
    yield from rows_of("printed", score)
    yield Row(f"printed: line items right, of {items[0]} reported", f"{items[1] / max(1, items[0]):.1%}", ">= 97 %")
    yield Row(f"printed: line items found, of {items[2]}", f"{items[1] / max(1, items[2]):.1%}", ">= 90 %")
    yield Row("printed: ms of a core for each page, mean and most", f"{fmean(timed):.1f}, {max(timed):.1f}", "<= 20")
    _print_mistakes(score)


def _count_items(items: list[int], document: BillingDocument, result: Json) -> None:
    """Count the items of documents whose truth has them: that of receipts does not, though they are printed."""
    if not document.items:
        return
    truths = Counter((item.description, f"{item.amount:.2f}") for item in document.items)
    found = Counter((item["description"], item["amount"]) for item in result["line_items"])
    items[0] += found.total()
    items[1] += (truths & found).total()
    items[2] += truths.total()


def as_scanned(reader: Reader, half: int, seed: int, count: int) -> Iterator[Row]:
    score = Score()
    for number, document in enumerate(documents(half, count, seed + 5000)):
        shown = worn(document, seed + number)
        pages = [scanned(reader, page) for page in shown.pages]
        result = answer(pages)
        righted = replace(shown, pages=document.pages)
        count_fields(score, righted, pages, result)
    yield from (row for row in rows_of("scanned", score) if "in their box" not in row.what)
    _print_mistakes(score)


def on_others(seed: int) -> Iterator[Row]:
    score = Score()
    for number in range(OTHERS):
        kind, language = OTHER_KINDS[number % len(OTHER_KINDS)], ("en", "de")[number // len(OTHER_KINDS) % 2]
        pages = [printed(generate(seed + 9000 + number, kind=kind, language=language, dpi=72))]
        count_fields(score, None, pages, answer(pages))
    yield Row(f"{OTHERS} letters, contracts and others: fields", f"{score.reported}", "0")
    _print_mistakes(score)


def _print_mistakes(score: Score) -> None:
    if "tuning" in sys.argv:
        print("\n".join([*score.details, str(score.mistakes.most_common())]))


def main() -> None:
    numbers = [int(argument) for argument in sys.argv[1:] if argument.isdigit()]
    half, seed = (TUNING, TUNING_SEED) if "tuning" in sys.argv else (TEST, SEED)
    count = numbers[0] if numbers else SCANNED
    print(circumstances())
    print("\n| what | found | goal |\n|---|---|---|")
    parts: list[Iterable[Row]] = [as_printed(half, seed), on_others(seed)]
    if count:
        parts.append(as_scanned(Reader(), half, seed, count))
    for rows in parts:
        for row in rows:
            print(f"| {row.what} | {row.value} | {row.goal} |", flush=True)


if __name__ == "__main__":
    main()
