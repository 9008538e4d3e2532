"""Makes sure that a folder has the wanted language data, and says in a sentence what is missing."""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from maas.local.languages.errors import NotToBeHad
from maas.local.languages.placement import file_name, is_placed, place
from maas.local.languages.sources import downloaded_file, installed_files, package_name


def fetch_missing(languages: Sequence[str], folder: Path, root: Path = Path("/")) -> Iterator[str]:
    """Fetch what the folder lacks. Yield a sentence on each language that was fetched or cannot be had."""
    for language in languages:
        if is_placed(folder, language):
            continue
        try:
            yield f"{language}: language data taken from {_fetch(language, folder, root)}"
        except (NotToBeHad, OSError) as error:
            yield (
                f"{language}: no language data, so texts in it are not read: {error}. Install it (Debian, Ubuntu: "
                f"apt-get install {package_name(language)}) and set MAAS_TESSDATA to its folder."
            )


def missing_in(folder: Path, languages: Sequence[str]) -> Iterator[str]:
    """Yield a sentence on each language that the operator's own folder lacks."""
    for language in languages:
        if not (folder / file_name(language)).is_file():
            yield (
                f"{language}: no language data, so texts in it are not read: "
                f"MAAS_TESSDATA={folder} has no {file_name(language)}."
            )


def _fetch(language: str, folder: Path, root: Path) -> str:
    """Return where the data came from. A file that is installed here in another version is passed over."""
    for file in installed_files(language, root):
        try:
            place(file, folder, language)
        except NotToBeHad:
            continue
        return str(file.parent)
    with tempfile.TemporaryDirectory() as scratch:
        place(downloaded_file(language, Path(scratch)), folder, language)
    return f"the package {package_name(language)}"
