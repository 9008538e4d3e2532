"""Reads text lines of scripts that the built-in text recognition does not know, with Tesseract."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from inference.core.calls import Call
from inference.core.contracts import Pixels
from inference.core.errors import ModelFailed
from inference.runtime.engine_pool import EnginePool
from inference.runtime.tesseract_languages import script_of
from inference.runtime.tesseract_lines import Gray, prepared_line
from inference.runtime.tesseract_texts import corrected
from inference.runtime.text_recognition import RecognizedText

try:
    import tesserocr
except ImportError:  # There is a package for Linux on x86-64 only.
    tesserocr = None

MAX_ENGINES = 4
"""The largest number of engines, each with its language: 10 to 60 MB. A run keeps one core busy."""
LINE_TIMEOUT_MS = 10_000
DOUBT_FACTOR = 1.5
"""The doubt as a multiple of the square of Tesseract's own: 0.89 is measured on Arabic with 1 % wrong characters."""
_NOTHING = RecognizedText("", 0.0)


def language_data(folder: Path, languages: Iterable[str]) -> dict[str, Path]:
    """Return the data in a folder of these languages, as far as it is there. Without `tesserocr`, none is of use."""
    if tesserocr is None:
        return {}
    files = {language: folder / f"{language}.traineddata" for language in languages}
    return {language: file for language, file in files.items() if file.is_file()}


class TesseractReader:
    """Reads lines by the data of a language. Threads may share it: each uses an engine of its own."""

    def __init__(self) -> None:
        size = min(MAX_ENGINES, len(os.sched_getaffinity(0)))
        self._pool = EnginePool(_make_engine, _close_engine, size=size)

    def read(self, lines: Sequence[Pixels], data: Path, call: Call | None = None) -> list[RecognizedText]:
        """Return the text of each line, in logical order. Blank lines are empty, with a confidence of 0.

        `data` is a file such as `rus.traineddata`. Between two lines the call is checked. A line takes two seconds at
        most, because its size is bounded.
        """
        call = call or Call()
        if not lines:
            return []
        script = script_of(data.stem)
        contents = []
        with self._pool.engine(str(data), call) as engine:
            for line in lines:
                call.check()
                prepared = prepared_line(line)
                contents.append(_NOTHING if prepared is None else _read_line(engine, prepared, script))
        return contents

    def close(self) -> None:
        """Free the idle engines."""
        self._pool.close()


def _make_engine(data: str) -> "tesserocr.PyTessBaseAPI":
    file = Path(data)
    if tesserocr is None:
        raise ModelFailed("model_load_failed", "the package tesserocr is missing, which is for Linux on x86-64 only")
    if not file.is_file():
        raise ModelFailed("model_artifact_missing", f"no language data {file.name}")
    try:
        return tesserocr.PyTessBaseAPI(
            path=str(file.parent), lang=file.stem, psm=tesserocr.PSM.RAW_LINE, oem=tesserocr.OEM.LSTM_ONLY
        )
    except RuntimeError as error:
        raise ModelFailed("model_load_failed", f"the language data {file.name} cannot be loaded") from error


def _read_line(engine: "tesserocr.PyTessBaseAPI", line: Gray, script: str) -> RecognizedText:
    height, width = line.shape
    try:
        engine.SetImageBytes(line.tobytes(), width, height, 1, width)
        if not engine.Recognize(LINE_TIMEOUT_MS):
            return _NOTHING
        text = corrected(engine.GetUTF8Text(), script)
        confidence = _confidence(engine.MeanTextConf() / 100)
    except RuntimeError as error:
        raise ModelFailed("model_run_failed", "the text line could not be read") from error
    finally:
        engine.Clear()
    return RecognizedText(text, confidence) if text else _NOTHING


def _confidence(own: float) -> float:
    """Return a confidence that means what that of the built-in recognizer means. Tesseract doubts clean print too."""
    return round(max(0.0, 1 - DOUBT_FACTOR * (1 - min(1.0, max(0.0, own))) ** 2), 5)


def _close_engine(engine: "tesserocr.PyTessBaseAPI") -> None:
    engine.End()
