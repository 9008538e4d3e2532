"""Each peer's own environment, made once in a cache folder from the package index: never in this product's."""

import os
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

CACHE = Path(os.environ.get("MAAS_BENCH_CACHE") or Path.home() / ".cache" / "maas-bench-peers")


class NotInstalled(Exception):
    """A peer's packages could not be installed here."""


def environment(name: str, requirements: tuple[str, ...]) -> Path:
    """Its interpreter. The model's own packages are of the versions that this product runs on."""
    wanted = (*requirements, *(f"{package}=={version(package)}" for package in ("onnxruntime", "tokenizers")))
    return made_environment(CACHE, name, wanted)


def made_environment(cache: Path, name: str, wanted: tuple[str, ...], *, make: bool = True) -> Path:
    """Its interpreter. Raises NotInstalled, also where it is not there and is not to be made."""
    folder = cache / f"{name}-py{sys.version_info.major}{sys.version_info.minor}"
    made = folder / "made.txt"
    if not made.exists() or made.read_text() != "\n".join(wanted):
        if not make:
            raise NotInstalled(f"there is none in {folder}")
        print(f"installing {', '.join(wanted)} into {folder} …", file=sys.stderr, flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        _make(folder, wanted)
        made.write_text("\n".join(wanted))
    return folder / "bin" / "python"


def _make(folder: Path, wanted: tuple[str, ...]) -> None:
    """By uv where it runs, which is quicker; by pip otherwise, and where uv fails."""
    by_uv = (
        ["uv", "venv", "--quiet", "--python", sys.executable, str(folder)],
        ["uv", "pip", "install", "--quiet", "--python", str(folder / "bin" / "python"), *wanted],
    )
    by_pip = (
        [sys.executable, "-m", "venv", "--clear", str(folder)],
        [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", *wanted],
    )
    said = []
    for commands in (by_uv, by_pip):
        try:
            for command in commands:
                subprocess.run(command, check=True, capture_output=True, text=True)
        except FileNotFoundError as error:
            said.append(str(error))
        except subprocess.CalledProcessError as error:
            said.append(str(error.stderr)[-2000:])
        else:
            return
    raise NotInstalled("\n".join(said))
