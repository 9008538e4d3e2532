"""Tests of reading real lines. They need language data and fonts, and are skipped where those are missing."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from inference.core.calls import Call
from inference.core.errors import CallCanceled, DeadlinePassed, ModelFailed
from inference.runtime.tesseract import TesseractReader
from inference.runtime.text_recognition import RecognizedText
from tests.inference.runtime.tesseract_data import data_file, drawn_line

LINES = [
    pytest.param("rus", "DejaVuSans.ttf", "Сумма к оплате составляет рублей, срок до 12 марта", False, id="Russian"),
    pytest.param("ara", "NotoNaskhArabic-Regular.ttf", "يدخل هذا العقد حيز التنفيذ من تاريخ توقيعه", True, id="Arabic"),
    pytest.param("heb", "DejaVuSans.ttf", "חשבונית מס מספר 4711 מיום 12 במרץ", True, id="Hebrew"),
    pytest.param("hin", "NotoSansDevanagari-Regular.ttf", "हमारी ग्राहक सेवा से संपर्क करने के लिए धन्यवाद", False, id="Hindi"),
]
HOSTILE = """
import sys
from pathlib import Path
import numpy as np
from inference.runtime.tesseract import TesseractReader
reader = TesseractReader()
noise = np.random.default_rng(1)
sizes = [(1, 1), (1, 10_000), (2, 10_000), (3, 3), (10_000, 1), (48, 1), (9, 20_000), (700, 700)]
lines = [noise.integers(0, 255, (*size, 3), dtype=np.uint8) for size in sizes]
print(len(reader.read(lines, Path(sys.argv[1]))))
"""


@pytest.mark.parametrize("margin", [1, 6], ids=["tight", "with a margin"])
@pytest.mark.parametrize(("language", "font", "text", "right_to_left"), LINES)
def test_clean_print_is_read_in_logical_order(
    language: str, font: str, text: str, right_to_left: bool, margin: int
) -> None:
    reader = TesseractReader()
    line = drawn_line(text, font, right_to_left=right_to_left, margin=margin)
    (content,) = reader.read([line], data_file(language))
    assert content.text == text
    assert 0.7 < content.confidence <= 1


def test_blank_lines_are_empty_and_lines_keep_their_order() -> None:
    reader = TesseractReader()
    blank = np.full((40, 300, 3), 255, np.uint8)
    contents = reader.read([blank, drawn_line("Договор", "DejaVuSans.ttf"), blank], data_file("rus"))
    assert [content.text for content in contents] == ["", "Договор", ""]
    assert contents[0] == RecognizedText("", 0.0)
    assert reader.read([], data_file("rus")) == []


def test_text_of_a_line_does_not_depend_on_its_neighbors_or_on_threads() -> None:
    reader = TesseractReader()
    lines = [drawn_line(text, "DejaVuSans.ttf") for text in ("Сумма к оплате", "Приказ № 5", "Отчёт за год")]
    alone = [reader.read([line], data_file("rus"))[0] for line in lines]
    with ThreadPoolExecutor(4) as threads:
        results = list(threads.map(lambda _: reader.read(lines, data_file("rus")), range(8)))
    assert all(result == alone for result in results)


# In a process of its own, because an assertion of Tesseract would end this one.
def test_hostile_sizes_end_neither_the_process_nor_its_time() -> None:
    command = [sys.executable, "-c", HOSTILE, str(data_file("rus"))]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout) == (0, "8\n"), ended.stderr


def test_canceled_and_late_calls_end_between_lines() -> None:
    reader = TesseractReader()
    lines = [np.zeros((40, 300, 3), np.uint8)]
    canceled = Call()
    canceled.cancel()
    with pytest.raises(CallCanceled):
        reader.read(lines, data_file("rus"), canceled)
    with pytest.raises(DeadlinePassed):
        reader.read(lines, data_file("rus"), Call(deadline_s=time.monotonic() - 1))


def test_missing_data_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelFailed, match=r"no language data rus\.traineddata"):
        TesseractReader().read([np.zeros((40, 300, 3), np.uint8)], tmp_path / "rus.traineddata")


def test_data_that_is_no_data_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "rus.traineddata"
    file.write_bytes(b"no data")
    with pytest.raises(ModelFailed, match="cannot be loaded"):
        TesseractReader().read([np.zeros((40, 300, 3), np.uint8)], file)
