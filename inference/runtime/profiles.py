"""The measurements of a model file on a device, stored so that a restart knows them before it loads anything."""

import hashlib
import json
import os
import re
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

import structlog

Answer = TypeVar("Answer")
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
        names = {each.name for each in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in names})


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


log = structlog.get_logger(__name__)
SAVED_EVERY_S = 30.0
LEFT_ALONE_S = 10.0
"""Seconds for which a store that failed is not used. Otherwise, every load would wait for it."""


class ProfileKeeper:
    def __init__(self, store: ProfileStore | None, device: str) -> None:
        self._store = store or MemoryProfiles()
        self._device = device[:200]
        self._profiles: dict[str, Profile] = {}
        self._artifacts: dict[str, str] = {}
        self._changed: set[str] = set()
        self._unread: set[str] = set()
        """The files whose profiles were requested while the store was away, and must not be overwritten there."""
        self._lock = threading.Lock()
        self._saving = threading.Lock()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._away_until_s = 0.0

    def profile_of(self, path: str) -> Profile | None:
        """Return the known profile without a request to the store."""
        with self._lock:
            return self._profiles.get(path)

    def read(self, path: str) -> Profile:
        """Return the profile. The store is read unless the profile of this very file was read before."""
        artifact = artifact_id(Path(path))
        with self._lock:
            profile = self._profiles.get(path) if self._artifacts.get(path) == artifact else None
            if profile is not None and path not in self._unread:
                return profile
        found, away = None, False
        try:
            found = self._reach(lambda: self._store.get(artifact, self._device))
        except StoreUnavailable:
            away = True
        with self._lock:
            (self._unread.add if away else self._unread.discard)(path)
            self._artifacts[path] = artifact
            self._profiles[path] = _merged(profile or Profile(), found or Profile())
            return self._profiles[path]

    def change(self, path: str, **values: Any) -> Profile:
        with self._lock:
            before = self._profiles.get(path, Profile())
            after = replace(before, **values)
            if after != before:
                self._profiles[path] = after
                self._changed.add(path)
                self._start()
            return after

    def save(self) -> None:
        """Save the changed profiles. Those that the store did not accept are tried again with the next save."""
        with self._saving:
            with self._lock:
                changed, self._changed = self._changed, set()
                to_save = {
                    path: (self._artifacts[path], self._profiles[path]) for path in changed if path in self._artifacts
                }
            for path, (artifact, profile) in to_save.items():
                try:
                    self._save(path, artifact, profile)
                except StoreUnavailable:
                    with self._lock:
                        self._changed.add(path)

    def stop(self) -> None:
        self._stopping.set()
        self.save()

    def _start(self) -> None:
        if self._thread is None and not isinstance(self._store, MemoryProfiles):
            self._thread = threading.Thread(target=self._save_now_and_then, name="profiles", daemon=True)
            self._thread.start()

    def _save_now_and_then(self) -> None:
        while not self._stopping.wait(SAVED_EVERY_S):
            self.save()

    def _save(self, path: str, artifact: str, profile: Profile) -> None:
        if path in self._unread:
            stored = self._reach(lambda: self._store.get(artifact, self._device))
            profile = _merged(profile, stored or Profile())
            with self._lock:
                self._unread.discard(path)
                self._profiles[path] = _merged(self._profiles[path], profile)
        self._reach(lambda: self._store.put(artifact, self._device, profile))

    def _reach(self, do: Callable[[], Answer]) -> Answer:
        if time.monotonic() < self._away_until_s:
            raise StoreUnavailable
        try:
            return do()
        except Exception as error:
            self._away_until_s = time.monotonic() + LEFT_ALONE_S
            log.warning("model_profiles_unavailable", exc_info=True)
            raise StoreUnavailable from error


class StoreUnavailable(Exception):
    """The error for a store that is away. Loads go on, and what was learned is kept until it is back."""


def _merged(own: Profile, stored: Profile) -> Profile:
    """Merge two profiles. Values measured here are newer, and stored values stay where nothing was learned."""
    measured = own if own.loaded_bytes else stored
    return replace(measured, fit=own.fit or stored.fit, exactness=own.exactness or stored.exactness)
