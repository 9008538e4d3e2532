"""What was measured of a model file on a device, kept so that a restart knows it before it loads anything."""

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Protocol

SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Profile:
    file_bytes: int = 0
    loaded_bytes: int = 0
    """In memory after load and warm-up; 0 where it was never measured."""
    alone: bool = False
    """Whether nothing else was loaded or run meanwhile, so that the figure is its own."""
    peak_bytes: int = 0
    """With what its largest runs made its arena grow by."""
    load_s: float = 0.0
    warm_up_s: float = 0.0
    fit: Mapping[str, Any] = field(default_factory=dict)
    """How long its batches take, in the form of whoever batches."""
    exactness: Mapping[str, Any] = field(default_factory=dict)
    """Whether its rows may share a batch, in the form of whoever tried it."""

    @property
    def least_bytes(self) -> int:
        """Without this much memory it cannot be held at all."""
        return max(self.file_bytes, self.loaded_bytes)

    def reserved_bytes(self, budget_bytes: int) -> int:
        """With its arena at its largest; one that would fill all memory gives its arena back instead."""
        peak_bytes = max(self.least_bytes, self.peak_bytes)
        return peak_bytes if peak_bytes <= budget_bytes else self.least_bytes

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "Profile":
        """Of what an older or newer release wrote, what this one knows."""
        known = {one.name for one in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in known})


class ProfileStore(Protocol):
    """May fail or be away; no load depends on it."""

    def get(self, artifact: str, device: str) -> Profile | None: ...

    def put(self, artifact: str, device: str, profile: Profile) -> None: ...


class MemoryProfiles:
    def __init__(self) -> None:
        self._profiles: dict[tuple[str, str], Profile] = {}

    def get(self, artifact: str, device: str) -> Profile | None:
        return self._profiles.get((artifact, device))

    def put(self, artifact: str, device: str, profile: Profile) -> None:
        self._profiles[artifact, device] = profile


class FolderProfiles:
    """A JSON file each, for one process without a database; written whole or not at all."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, artifact: str, device: str) -> Profile | None:
        try:
            return Profile.from_json(json.loads(self._path(artifact, device).read_text()))
        except (FileNotFoundError, ValueError):
            # What a power cut has left empty would never be written anew if it were an error.
            return None

    def put(self, artifact: str, device: str, profile: Profile) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._path(artifact, device)
        descriptor, part = tempfile.mkstemp(dir=self._folder, prefix=".part-")
        try:
            with os.fdopen(descriptor, "w") as stream:
                json.dump({"device": device, **profile.as_json()}, stream, indent=1)
            os.replace(part, path)
        finally:
            Path(part).unlink(missing_ok=True)

    def _path(self, artifact: str, device: str) -> Path:
        on_device = hashlib.sha256(device.encode()).hexdigest()[:12]
        return self._folder / f"{artifact}-{on_device}.json"


def artifact_id(path: Path) -> str:
    """The sha256 in the name of an artifact's folder; of a file that lies elsewhere, of its place, size and time."""
    if SHA256.fullmatch(path.parent.name):
        return path.parent.name
    stat = path.stat()
    return hashlib.sha256(f"{path}\0{stat.st_size}\0{stat.st_mtime_ns}".encode()).hexdigest()
