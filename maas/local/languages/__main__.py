"""Fetches the language data of MAAS_OCR_LANGUAGES: `python -m maas.local.languages`. It never prevents a start."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from inference.runtime.tesseract_languages import listed_languages, unknown_language
from maas.local.languages.fetching import fetch_missing, missing_in


def sentences(variables: Mapping[str, str]) -> Iterator[str]:
    """Fetch what is missing, and yield what a person should know."""
    languages = listed_languages(variables.get("MAAS_OCR_LANGUAGES", ""))
    if refused := unknown_language(languages):
        yield refused
    elif given := variables.get("MAAS_TESSDATA"):
        yield from missing_in(Path(given), languages)
    else:
        home = Path(variables.get("MAAS_HOME") or "var").expanduser().absolute()
        yield from fetch_missing(languages, home / "tessdata")


if __name__ == "__main__":
    for sentence in sentences(os.environ):
        print(sentence, flush=True)
