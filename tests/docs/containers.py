"""Reads the files of deploy/docker as data."""

import json
import re
import shlex
from dataclasses import dataclass
from typing import Any

import yaml

from tests.docs.product import read

COMPOSE = "deploy/docker/compose.yaml"
DOCKERFILES = ("deploy/docker/Dockerfile", "deploy/docker/Dockerfile.gpu")


@dataclass(frozen=True)
class Instruction:
    name: str
    words: tuple[str, ...]


def instructions(dockerfile: str) -> list[Instruction]:
    text = re.sub(r"^#.*\n", "", read(dockerfile), flags=re.MULTILINE).replace("\\\n", " ")
    lines = [line.partition(" ") for line in text.splitlines() if line.strip()]
    return [Instruction(name, tuple(shlex.split(rest))) for name, _, rest in lines]


def copied(dockerfile: str) -> list[str]:
    """Return the paths of the repository that are copied into the image."""
    copies = [i.words for i in instructions(dockerfile) if i.name == "COPY"]
    return [source for words in copies if not words[0].startswith("--from") for source in words[:-1]]


def variables(dockerfile: str) -> dict[str, str]:
    pairs = [word.partition("=") for i in instructions(dockerfile) if i.name == "ENV" for word in i.words]
    return {name: value for name, _, value in pairs}


def default_command(dockerfile: str) -> list[str]:
    """Return the image's CMD, which is JSON."""
    text = re.sub(r"\\\n", " ", read(dockerfile))
    return [str(word) for word in json.loads(text.rpartition("\nCMD ")[2])]


def services() -> dict[str, Any]:
    return dict(yaml.safe_load(read(COMPOSE))["services"])
