"""Finds language data: installed on this machine, or in the packages of Debian and Ubuntu, without root.

`apt-get download` fetches a package from the mirrors that the machine is set up with, and checks their signatures.
"""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from maas.local.languages.errors import NotToBeHad
from maas.local.languages.placement import file_name

INSTALLED = ("/usr/share/tesseract-ocr/*/tessdata", "/usr/share/tessdata", "/usr/share/tesseract/tessdata")
DOWNLOAD_TIMEOUT_S = 120
UNPACK_TIMEOUT_S = 30


def package_name(language: str) -> str:
    """Return the package of Debian and Ubuntu that has the language."""
    return f"tesseract-ocr-{language}"


def installed_files(language: str, root: Path = Path("/")) -> Iterator[Path]:
    """Yield the language's files where distributions install them."""
    for pattern in INSTALLED:
        for folder in sorted(root.glob(pattern.removeprefix("/")), reverse=True):
            if (file := folder / file_name(language)).is_file():
                yield file


def downloaded_file(language: str, scratch: Path) -> Path:
    """Download the language's package into the empty scratch folder and unpack it. Raises NotToBeHad."""
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        raise NotToBeHad("there is no apt-get on this machine to download it with")
    _run("apt-get", "--quiet=2", "download", package_name(language), cwd=scratch, timeout_s=DOWNLOAD_TIMEOUT_S)
    packages = list(scratch.glob("*.deb"))
    if len(packages) != 1:
        raise NotToBeHad(f"apt-get downloaded no package {package_name(language)}")
    _run("dpkg-deb", "--extract", packages[0].name, "unpacked", cwd=scratch, timeout_s=UNPACK_TIMEOUT_S)
    file = next((scratch / "unpacked").rglob(file_name(language)), None)
    if file is None:
        raise NotToBeHad(f"the package {package_name(language)} has no {file_name(language)}")
    return file


def _run(*command: str, cwd: Path, timeout_s: int) -> None:
    try:
        subprocess.run(
            command, cwd=cwd, timeout=timeout_s, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired as error:
        raise NotToBeHad(f"{command[0]} took longer than {timeout_s} s") from error
    except subprocess.CalledProcessError as error:
        raise NotToBeHad(f"{command[0]} failed: {_last_line(error.stderr)}") from error


def _last_line(output: str) -> str:
    errors = [line.removeprefix("E: ") for line in output.splitlines() if line.startswith(("E: ", "dpkg-deb: "))]
    return (errors or ["no reason given"])[-1][:200]
