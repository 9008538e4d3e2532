"""Model files by content. Each is stored once under its SHA-256 in its own folder, and checked when fetched."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypedDict

from django.conf import settings
from django.core.files import File
from django.core.files.storage import FileSystemStorage, default_storage
from django.db import connections

from inference.registry import file_cache
from tenants.core.db.unit_of_work import current_alias

FOLDER = "models"
"""The folder of the storage that has all model files."""


class Artifact(TypedDict):
    sha256: str
    bytes: int
    file: str


class ArtifactDamaged(RuntimeError):
    """The storage returned other content than was stored."""


def sha256_of(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def store(path: Path, *, name: str = "") -> Artifact:
    """Store a file, under its own name or another. A damaged file of the same name in storage is replaced."""
    sha256 = sha256_of(path)
    artifact = Artifact(sha256=sha256, bytes=path.stat().st_size, file=f"{FOLDER}/{sha256}/{name or path.name}")
    if not _is_stored(artifact):
        with path.open("rb") as stream:
            default_storage.save(artifact["file"], File(stream))
    return artifact


def hold(artifact: Artifact, path: Path) -> None:
    """Keep the stored file from being collected until this transaction has written the row that refers to it.

    If it was collected since `store`, it is stored again.
    """
    lock(artifact["file"])
    if not default_storage.exists(artifact["file"]):
        with path.open("rb") as stream:
            default_storage.save(artifact["file"], File(stream))


def lock(name: str) -> None:
    """Lock a stored file until the transaction ends, against those that add or delete it."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 30))", [name])


def _is_stored(artifact: Artifact) -> bool:
    """Return whether the file is stored intact. Remote storage is checked by size only, to save a download."""
    name = artifact["file"]
    if not default_storage.exists(name) or default_storage.size(name) != artifact["bytes"]:
        return False
    return not _is_folder() or sha256_of(Path(default_storage.path(name))) == artifact["sha256"]


def _is_folder() -> bool:
    return isinstance(default_storage, FileSystemStorage)


def local_path(artifact: Mapping[str, object]) -> Path:
    """Return the path on local disk. A remote file is copied once beside the worker, whole or not at all."""
    name, sha256 = str(artifact["file"]), str(artifact["sha256"])
    if _is_folder():
        return Path(default_storage.path(name))
    cached: Path = settings.MAAS_HOME / "models" / sha256 / Path(name).name
    is_new = not file_cache.touch([cached]) or cached.stat().st_size != artifact["bytes"]
    if is_new:
        _fetch(name, sha256, cached)
    file_cache.pin(cached)
    if is_new:
        file_cache.remove_unused()
    return cached


def still_here(paths: Iterable[str]) -> bool:
    """Return whether files that `local_path` has returned before are there, and keep them for some minutes if so."""
    return _is_folder() or file_cache.touch(map(Path, paths))


def _fetch(name: str, sha256: str, into: Path) -> None:
    into.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, part = tempfile.mkstemp(dir=into.parent, prefix=file_cache.PART)
    try:
        with os.fdopen(descriptor, "wb") as target, default_storage.open(name) as source:
            shutil.copyfileobj(source, target)
        if sha256_of(Path(part)) != sha256:
            raise ArtifactDamaged(f"{name} in storage does not have the digest {sha256}")
        os.replace(part, into)
    finally:
        Path(part).unlink(missing_ok=True)
