"""The measurements of a model file on a device, stored so that a restart knows them before it loads anything."""

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
    """The memory after load and warm-up, or 0 if it was never measured."""
    alone: bool = False
    """Set if nothing else was loaded or run meanwhile, so that the measurement covers only this file."""
    peak_bytes: int = 0
    """The memory including the growth of its arena by its largest runs."""
    load_s: float = 0.0
    warm_up_s: float = 0.0
    fit: Mapping[str, Any] = field(default_factory=dict)
    """The time that its batches take, in the format of the batcher."""
    exactness: Mapping[str, Any] = field(default_factory=dict)
    """The result of the trial of whether its rows may share a batch, in the format of the code that tried it."""

    @property
    def min_bytes(self) -> int:
        """Return the memory without which it cannot be held at all."""
        return max(self.file_bytes, self.loaded_bytes)

    def reserved_bytes(self, budget_bytes: int) -> int:
        """Return the memory with its largest arena. A model that would fill all memory gives its arena back."""
        peak_bytes = max(self.min_bytes, self.peak_bytes)
        return peak_bytes if peak_bytes <= budget_bytes else self.min_bytes

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "Profile":
        """Read a profile that another release may have written, and keep the values that this one knows."""
        known = {one.name for one in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in known})


class ProfileStore(Protocol):
    """A store that may fail or be away. No load depends on it."""

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
    """A store with a JSON file for each profile, for one process without a database. A file is never half written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, artifact: str, device: str) -> Profile | None:
        try:
            return Profile.from_json(json.loads(self._path(artifact, device).read_text()))
        except (FileNotFoundError, ValueError):
            # A file that a power cut has left empty would never be rewritten if it caused an error.
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
    """Return the sha256 in the name of an artifact's folder, or that of another file's path, size and time."""
    if SHA256.fullmatch(path.parent.name):
        return path.parent.name
    stat = path.stat()
    return hashlib.sha256(f"{path}\0{stat.st_size}\0{stat.st_mtime_ns}".encode()).hexdigest()
