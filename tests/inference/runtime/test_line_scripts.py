"""Tests of pages in scripts that the recognizer does not know, with Tesseract's data and without it."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from inference.core.contracts import Pixels, WorkOutput
from tests.inference.registry.builtin.served import builtin_engine, builtin_specs
from tests.inference.runtime.pictures import picture_page
from tests.inference.runtime.tesseract_data import data_file, drawn_line

RUSSIAN = ("Сумма к оплате составляет семь рублей", "Договор вступает в силу с даты подписания", "Отчёт за прошлый год")
ARABIC = ("يدخل هذا العقد حيز التنفيذ من تاريخ توقيعه", "المبلغ الإجمالي المستحق")


def sheet(*lines: Pixels) -> Pixels:
    page = np.full((140 + 90 * len(lines), 1200, 3), 255, np.uint8)
    for number, line in enumerate(lines):
        top = 70 + 90 * number
        page[top : top + line.shape[0], 80 : 80 + line.shape[1]] = line
    return page


@cache
def russian() -> Pixels:
    return sheet(*(drawn_line(text, "DejaVuSans.ttf") for text in RUSSIAN))


def read(pixels: Pixels, *languages: str) -> WorkOutput:
    data = {f"tesseract.{language}": str(data_file(language)) for language in languages}
    spec = builtin_specs()["read"]
    spec = replace(spec, artifacts={**spec.artifacts, **data}, config={"languages": list(languages)})
    return builtin_engine().run(spec, picture_page(pixels), {})


def test_lines_in_an_unknown_script_are_named_as_unread() -> None:
    unread = read(russian()).result["unread"]
    assert [line["script"] for line in unread] == ["cyrillic"] * len(RUSSIAN)


def test_latin_page_has_nothing_unread() -> None:
    page = sheet(*(drawn_line(text, "DejaVuSans.ttf") for text in ("The total is due in 14 days", "Invoice no. 4711")))
    assert read(page).result["unread"] == []


def test_lines_are_read_in_their_language_where_there_is_data() -> None:
    result = read(russian(), "rus").result
    assert [line["text"] for line in result["lines"]] == list(RUSSIAN)
    assert result["unread"] == []


def test_right_to_left_lines_are_read_in_logical_order() -> None:
    page = sheet(*(drawn_line(text, "NotoNaskhArabic-Regular.ttf", right_to_left=True) for text in ARABIC))
    assert [line["text"] for line in read(page, "ara").result["lines"]] == list(ARABIC)


def test_each_line_has_the_reader_of_its_own_script() -> None:
    page = sheet(
        drawn_line("The contract begins with its signature", "DejaVuSans.ttf"),
        drawn_line(RUSSIAN[1], "DejaVuSans.ttf"),
    )
    lines = read(page, "ara", "rus").result["lines"]
    assert [line["text"] for line in lines] == ["The contract begins with its signature", RUSSIAN[1]]


def test_the_language_of_a_script_that_fits_best_is_chosen() -> None:
    texts = ("Її сім'я приїхала на початку жовтня", "Є питання щодо цього договору?")
    page = sheet(*(drawn_line(text, "DejaVuSans.ttf") for text in texts))
    lines = read(page, "rus", "ukr").result["lines"]
    assert [line["text"] for line in lines] == list(texts)


@pytest.mark.parametrize("font", ["DejaVuSans.ttf", "DejaVuSerif.ttf"])
def test_page_that_lies_upside_down_is_noticed_by_its_lines(font: str) -> None:
    latin = sheet(
        *(drawn_line(text, font) for text in ("The total is due in fourteen days", "Invoice no. 4711 of May"))
    )
    for page in (latin, russian()):
        assert read(np.ascontiguousarray(np.rot90(page, 2))).result["upside_down"] is True
        assert read(page).result["upside_down"] is False
