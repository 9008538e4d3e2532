"""Places language data in a folder in one step, if its digest is the known one."""

import hashlib
import os
import shutil
from pathlib import Path

from maas.local.languages.digests import DIGESTS
from maas.local.languages.errors import WrongData

MAX_BYTES = 64 * 2**20


def file_name(language: str) -> str:
    return f"{language}.traineddata"


def is_placed(folder: Path, language: str) -> bool:
    """Return whether the folder has this language's data, unchanged."""
    file = folder / file_name(language)
    return file.is_file() and digest(file) == DIGESTS[language]


def place(source: Path, folder: Path, language: str) -> None:
    """Copy the file into the folder. A reader never sees half a file. Raises WrongData."""
    if source.stat().st_size > MAX_BYTES:
        raise WrongData(f"{source.name} has {source.stat().st_size} bytes, more than {MAX_BYTES}")
    folder.mkdir(parents=True, exist_ok=True)
    new = folder / f".{file_name(language)}.{os.getpid()}.new"
    try:
        shutil.copyfile(source, new)
        if (found := digest(new)) != DIGESTS[language]:
            raise WrongData(f"{source.name} has the SHA-256 {found[:12]}…, not {DIGESTS[language][:12]}… as expected")
        new.rename(folder / file_name(language))
    finally:
        new.unlink(missing_ok=True)


def digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
