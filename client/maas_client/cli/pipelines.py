"""The files that declare pipelines: JSON, or YAML where the package is installed."""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

YAML = (".yaml", ".yml")
SUFFIXES = (".json", *YAML)


def read(
    parser: argparse.ArgumentParser, path: Path, members: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the declaration in the file, and its members: those in the file, and those of the command line."""
    declared = _parsed(parser, path)
    if not isinstance(declared, dict):
        parser.error(f"{path} is no declaration of a pipeline, which is an object")
    in_file = declared.pop("members", {})
    if not isinstance(in_file, dict):
        parser.error(f"{path}: `members` must be an object, such as scores: classifier@2")
    return declared, {**in_file, **members}


def _parsed(parser: argparse.ArgumentParser, path: Path) -> Any:
    try:
        if path.suffix.lower() not in YAML:
            return json.loads(path.read_text())
        return _of_yaml(parser, path)
    except ValueError as error:
        parser.error(f"{path} is not JSON: {error}")


def _of_yaml(parser: argparse.ArgumentParser, path: Path) -> Any:
    try:
        import yaml  # noqa: PLC0415  # a package that may be missing
    except ImportError:
        parser.error(f"{path}: the package PyYAML is not installed; run pip install pyyaml, or write the file as JSON")
    try:
        return yaml.safe_load(path.read_text())
    except yaml.YAMLError as error:
        parser.error(f"{path} is not YAML: {error}")
