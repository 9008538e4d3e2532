"""The values of arguments: checked when the command line is read, before anything is sent."""

import argparse
import json
import os
from datetime import datetime
from pathlib import Path

FORMER_FORMATS = {"text": "text", "json": "json", "markdown": "md", "pdf": "pdf"}
"""The formats that `--output` took before it named a file, with their names now."""


def file_or_url(text: str) -> Path | str:
    """Return a URL unchanged, because the service fetches and checks it, or the path of an existing file."""
    return text if text.startswith(("https://", "http://")) else file(text)


def file(text: str) -> Path:
    path = Path(text)
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} is a folder; name its files")
    if not path.is_file():
        raise argparse.ArgumentTypeError(f"there is no file {text!r}")
    return path


def target(text: str) -> Path:
    """Check that the output file can be written, before anything is paid for."""
    path = Path(text)
    if text in FORMER_FORMATS and not path.exists():
        form = FORMER_FORMATS[text]
        raise argparse.ArgumentTypeError(
            f"{text!r} is a format: use --format {form}, or ./{text} for a file of that name"
        )
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {str(path.parent)!r} to write {path.name!r} to")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise argparse.ArgumentTypeError(f"{text!r} may not be written")
    return path


def key(text: str) -> str:
    if not (0 < len(text) <= 240 and text.isascii() and text.isprintable()):
        raise argparse.ArgumentTypeError("a key is 1 to 240 printable ASCII characters")
    return text


def count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)


def moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no day such as 2026-11-01, and no time") from None


def field_filter(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is no filter such as total.min=100")
    return name, value


def parameter(text: str) -> tuple[str, object]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form name=value")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def label(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form name=value")
    return name, value


def version_of_model(text: str) -> tuple[str, int]:
    name, _, version = text.partition("@")
    if not name or not version.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no version of a model, such as scores@3")
    return name, int(version)


def model_or_version(text: str) -> tuple[str, int | None]:
    return version_of_model(text) if "@" in text else (text, None)
