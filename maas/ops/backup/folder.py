"""The layout of a backup: database.dump, files/, files.jsonl, state/, and manifest.json, which is written last."""

import hashlib
import hmac
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from maas.process.errors import LaunchError


class BackupError(LaunchError):
    """A backup or restore that failed. The message says what was wrong, with what value, and what to do."""

    code = "backup_error"


FORMAT = 1
KEPT_STATE = ("demo.env", "sample.pdf")
"""Files of MAAS_HOME that are stored beside the secrets. `make up` creates them once for a new installation."""


@dataclass(frozen=True, slots=True)
class HeldFile:
    name: str
    sha256: str
    bytes: int


@dataclass(frozen=True)
class Manifest:
    made_at: str
    migrations: list[str]
    rows: dict[str, int]
    files: int
    bytes: int
    pepper_mark: str
    """A digest that shows whether a pepper is the one that the keys were hashed with, and reveals nothing about it."""
    has_files: bool = True
    has_secrets: bool = True
    erased_documents: list[str] = field(default_factory=list)
    """The documents that their owners deleted while the backup was in progress. They stay deleted after a restore."""
    problems: list[str] = field(default_factory=list)
    format: int = FORMAT


@dataclass(frozen=True, slots=True)
class BackupFolder:
    root: Path

    @property
    def dump(self) -> Path:
        return self.root / "database.dump"

    @property
    def state(self) -> Path:
        return self.root / "state"

    @property
    def files_list(self) -> Path:
        return self.root / "files.jsonl"

    def file(self, name: str) -> Path:
        return self.root / "files" / name

    def held_files(self) -> Iterator[HeldFile]:
        if not self.files_list.exists():
            return
        with self.files_list.open() as lines:
            for line in lines:
                yield HeldFile(**json.loads(line))

    def write(self, manifest: Manifest) -> None:
        (self.root / "manifest.json").write_text(json.dumps(asdict(manifest), indent=1))

    def read(self) -> Manifest:
        path = self.root / "manifest.json"
        try:
            content: dict[str, Any] = json.loads(path.read_text())
        except (OSError, ValueError) as error:
            raise BackupError(f"{self.root} is no whole backup: {path.name} cannot be read ({error})") from None
        if content.get("format") != FORMAT:
            raise BackupError(f"{path} is of format {content.get('format')}; this version reads {FORMAT}")
        return Manifest(**content)

    @classmethod
    def new(cls, root: Path) -> Self:
        if root.exists():
            raise BackupError(f"{root} is there already: give a folder that does not exist yet")
        root.mkdir(mode=0o700, parents=True)
        return cls(root)


def pepper_mark(pepper: str) -> str:
    return hmac.digest(pepper.encode(), b"which pepper a backup belongs to", hashlib.sha256).hex()
