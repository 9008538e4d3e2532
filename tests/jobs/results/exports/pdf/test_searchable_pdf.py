"""Tests of a searchable PDF, read back with PDFium: the recognized text is where the picture shows it."""

import io
from typing import Any

import pikepdf
import pypdfium2
import pytest
from PIL import Image, ImageChops

from inference.pictures.righting import Righting
from jobs.core.models import Job
from jobs.results.exports.pdf import searchable_pdf
from jobs.results.exports.services import PDF
from tests.jobs.results.exports.conftest import HEIGHT, WIDTH, ReadingDesk, box, line

POINTS_PER_PIXEL = 72 / 200
LINES: dict[str, list[list[float]]] = {
    "Invoice total: 5 € (net)": box(80, 100, 500),
    "发票号码 123 你好": box(80, 200, 300),
    "שלום עולם 42": box(80, 300, 300),
    "مرحبا بالعالم": box(80, 400, 300),
    "a face 😀 and 𠀀": box(80, 500, 300),
    "Привет, naïve": box(80, 600, 300),
    "running upwards": [[700, 900], [700, 500], [740, 500], [740, 900]],
    "slanted a little": [[80, 700], [480, 740], [476, 780], [76, 740]],
}
ROUNDING_PX = 1.5


@pytest.fixture
def job(desk: ReadingDesk) -> Job:
    job = desk.submit(pages=2)
    desk.draw(job, 1)
    desk.read(job, 1, *(line(text, corners) for text, corners in LINES.items()))
    return job


def opened(desk: ReadingDesk, job: Job, pages: str | None = None) -> pypdfium2.PdfDocument:
    return pypdfium2.PdfDocument(desk.exported(job, PDF, pages))


def found_at(text: pypdfium2.PdfTextPage, words: str) -> tuple[int, int]:
    """Return the start and the length as PDFium counts them, which is in UTF-16 units."""
    before, found, _ = text.get_text_range().partition(words)
    assert found, words
    return len(before.encode("utf-16-le")) // 2, len(words.encode("utf-16-le")) // 2


def test_the_text_reads_back_as_it_was_recognized_in_any_script(desk: ReadingDesk, job: Job) -> None:
    assert set(opened(desk, job)[0].get_textpage().get_text_range().split("\r\n")) == set(LINES)


def test_every_letter_lies_within_the_box_of_its_line(desk: ReadingDesk, job: Job) -> None:
    page = opened(desk, job)[0]
    text, height = page.get_textpage(), page.get_height()
    for words, corners in LINES.items():
        start, count = found_at(text, words)
        left, right = min(x for x, _ in corners), max(x for x, _ in corners)
        top, bottom = min(y for _, y in corners), max(y for _, y in corners)
        boxes = [text.get_charbox(index, loose=True) for index in range(start, start + count)]
        found = [side / POINTS_PER_PIXEL for one in boxes for side in (one[0], one[2])]
        assert left - ROUNDING_PX <= min(found) <= max(found) <= right + ROUNDING_PX, words
        found = [(height - side) / POINTS_PER_PIXEL for one in boxes for side in (one[1], one[3])]
        assert top - ROUNDING_PX <= min(found) <= max(found) <= bottom + ROUNDING_PX, words


def test_a_line_fills_its_box_from_end_to_end(desk: ReadingDesk, job: Job) -> None:
    text = opened(desk, job)[0].get_textpage()
    start, count = found_at(text, "Invoice total: 5 € (net)")
    ends = text.get_charbox(start)[0], text.get_charbox(start + count - 1)[2]
    assert [round(end / POINTS_PER_PIXEL) for end in ends] == [80, 580]


def test_the_file_breaks_no_rule_of_the_format(desk: ReadingDesk, job: Job) -> None:
    with pikepdf.open(io.BytesIO(desk.exported(job, PDF))) as pdf:
        assert pdf.check_pdf_syntax() == []
        assert pdf.docinfo["/Title"] == "a.pdf"


def test_nothing_of_the_text_is_seen(desk: ReadingDesk) -> None:
    job = desk.submit(pages=2)
    desk.draw(job, 1, "PNG", "1")
    bare = opened(desk, job)[0].render().to_numpy()
    desk.read(job, 1, line("unseen", box(80, 100, 500)))
    assert (opened(desk, job)[0].render().to_numpy() == bare).all()


def test_a_jpeg_is_embedded_byte_by_byte(desk: ReadingDesk) -> None:
    job = desk.submit(pages=2)
    sent = desk.draw(job, 1)
    with pikepdf.open(io.BytesIO(desk.exported(job, PDF))) as pdf:
        assert pdf.pages[0].get_images()["/P"].read_raw_bytes() == sent


@pytest.mark.parametrize("mode", ["1", "L", "RGB", "P"])
def test_a_png_keeps_its_pixels_and_about_its_size(desk: ReadingDesk, mode: str) -> None:
    job = desk.submit(pages=2)
    sent = desk.draw(job, 1, "PNG", mode)
    made = desk.exported(job, PDF, "1")
    assert len(made) < len(sent) + 8_000
    shown = opened(desk, job)[0].render(scale=200 / 72).to_pil().convert("RGB")
    original = Image.open(io.BytesIO(sent)).convert("RGB")
    assert shown.size == original.size
    assert ImageChops.difference(shown, original).getbbox() is None


SHEET = [[40.0, 60.0], [760.0, 30.0], [780.0, 960.0], [30.0, 930.0]]


@pytest.mark.parametrize(
    "turn", [{"rotation": 90}, {"rotation": 180, "angle": 2.5}, {"angle": -3.0}, {"rotation": 270, "sheet": SHEET}]
)
def test_text_of_a_picture_that_was_turned_lies_on_its_print(desk: ReadingDesk, turn: dict[str, Any]) -> None:
    job = desk.submit(pages=2)
    desk.draw(job, 1)
    righting = Righting(WIDTH, HEIGHT, turn.get("rotation", 0), turn.get("angle", 0.0), turn.get("sheet"))
    printed = box(200, 300, 400)
    desk.answer(job, 1, {"text": "Hello world", "lines": [line("Hello world", printed)], **turn})
    page = opened(desk, job)[0]
    text = page.get_textpage()
    assert text.get_text_range().split() == ["Hello", "world"]
    assert page.get_rotation() == righting.rotation
    stored = righting.on_stored(printed)
    boxes = [text.get_charbox(index, loose=True) for index in range(text.count_chars())]
    _, _, _, height = page.get_mediabox()
    left, bottom, right, top = (side / POINTS_PER_PIXEL for side in _around(boxes))
    found = [left, height / POINTS_PER_PIXEL - top, right, height / POINTS_PER_PIXEL - bottom]
    assert found == pytest.approx([*stored.min(axis=0), *stored.max(axis=0)], abs=12)


def _around(boxes: list[tuple[float, float, float, float]]) -> tuple[float, float, float, float]:
    lefts, bottoms, rights, tops = zip(*boxes, strict=True)
    return min(lefts), min(bottoms), max(rights), max(tops)


@pytest.mark.parametrize("rotation", [45, "90", True, None])
def test_a_turn_that_makes_no_sense_counts_as_none(desk: ReadingDesk, rotation: object) -> None:
    job = desk.submit(pages=2)
    desk.draw(job, 1)
    desk.answer(job, 1, {"text": "a", "lines": [line("a", box(0, 0, 40)), 7], "rotation": rotation, "sheet": "x"})
    page = opened(desk, job)[0]
    assert (page.get_rotation(), page.get_textpage().get_text_range()) == (0, "a")


def test_a_missing_page_says_so_in_its_place_and_at_the_end(desk: ReadingDesk, job: Job) -> None:
    pdf = opened(desk, job)
    words = [page.get_textpage().get_text_range() for page in pdf]
    assert words[1:] == ["Page 2 is missing: it waits to be read.", "Page 2 of 2 is missing."]


def test_parts_make_one_file(desk: ReadingDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searchable_pdf, "PART_BYTES", 1)
    job = desk.submit(pages=5)
    for number in range(1, 6):
        desk.draw(job, number)
        desk.read(job, number, line(f"page {number}", box(80, 100, 500)))
    texts = [page.get_textpage().get_text_range() for page in opened(desk, job)]
    assert texts == [f"page {number}" for number in range(1, 6)]
    with pikepdf.open(io.BytesIO(desk.exported(job, PDF))) as pdf:
        assert pdf.check_pdf_syntax() == []
