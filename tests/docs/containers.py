"""Reads the files of deploy/docker as data."""

import json
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from maas.local.embedded.installation import find_postgres
from maas.local.embedded.postgres import PostgresServer
from tests.docs.product import PROJECT, read

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


def base_of(dockerfile: str) -> str:
    """Return the image on which an image stands."""
    (base,) = re.findall(r"^ARG \w+_BASE=(\S+)$", read(dockerfile), re.MULTILINE)
    return str(base)


def default_command(dockerfile: str) -> list[str]:
    """Return the image's CMD, which is JSON."""
    text = re.sub(r"\\\n", " ", read(dockerfile))
    return [str(word) for word in json.loads(text.rpartition("\nCMD ")[2])]


def services() -> dict[str, Any]:
    return dict(yaml.safe_load(read(COMPOSE))["services"])


def image_folder(folder: Path) -> Path:
    """Make the folder that the image's COPY instructions produce, compiled, with nothing else of the repository."""
    folder.mkdir()
    for source in copied(DOCKERFILES[0]):
        if source.startswith("requirements/"):
            continue
        if (PROJECT / source).is_dir():
            shutil.copytree(PROJECT / source, folder / source)
        else:
            (folder / source).parent.mkdir(exist_ok=True)
            shutil.copy(PROJECT / source, folder / source)
    return folder


def make_roles(database: PostgresServer, password: str) -> None:
    """Create the roles as the postgres image does: with psql, as the superuser, once."""
    psql = find_postgres().tree / "bin" / "psql"
    script = PROJECT / "deploy/docker/postgres-roles.sql"
    env = {"MAAS_DATABASE_PASSWORD": password}
    subprocess.run([psql, database.superuser_url(), "--quiet", "-f", script], env=env, check=True)
