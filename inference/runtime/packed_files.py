"""Model files as ONNX Runtime wants them: optimized, and with weights in the order of this processor's kernels. A file
is packed once for each machine. Sessions map it, so they open at once, and all sessions of one file share its memory,
also those of other processes.
"""

import os
import shutil
import time
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import structlog

from inference.runtime.machine import processor_features
from inference.runtime.native import onnx_runtime

log = structlog.get_logger(__name__)
GRAPH, WEIGHTS = "model.onnx", "weights.bin"
KEPT_FOR_S = 30 * 24 * 3600
"""The time for which a packed file is kept after a session of it was opened. Sessions that map it go on without it."""
UNFINISHED_FOR_S = 3600
"""The time after which a file that is not finished was left by a process that ended meanwhile."""
HIDDEN = "."
MAPPED_FROM_BYTES = 1024
"""The smallest weight that is mapped. Smaller ones stay in the graph."""


class PackedFiles:
    """The packed files of a machine. Processes may use a folder together."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def of(self, path: Path, options: Any) -> Path | None:
        """Return the packed file of a model file, which is made if it is missing, or None if it cannot be made.
        `options` are the session options to make it with.
        """
        try:
            made = self._folder / _name_of(path)
            if not (made / GRAPH).is_file():
                self._drop_old()
                self._make(path, made, options)
            with suppress(OSError):
                os.utime(made)
        except Exception as error:  # ONNX Runtime's errors share no base class. The file can be used as it is.
            log.warning("model_not_packed", file=path.name, error=f"{type(error).__name__}: {error}")
            return None
        return made / GRAPH

    def drop(self, made: Path) -> None:
        """Remove a packed file that cannot be opened. It is made again at the next use."""
        _remove(made.parent)

    def _make(self, path: Path, made: Path, options: Any) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        unfinished = Path(mkdtemp(prefix=HIDDEN, dir=self._folder))
        try:
            options.optimized_model_filepath = str(unfinished / GRAPH)
            for entry, value in {
                "session.optimized_model_external_initializers_file_name": WEIGHTS,
                "session.optimized_model_external_initializers_min_size_in_bytes": str(MAPPED_FROM_BYTES),
                "session.save_external_prepacked_constant_initializers": "1",
            }.items():
                options.add_session_config_entry(entry, value)
            onnx_runtime().InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
            for file in unfinished.iterdir():
                _write_through(file)
            try:
                unfinished.rename(made)
            except OSError:
                # Another process may have been faster. Its file is the same.
                if not (made / GRAPH).is_file():
                    raise
            _write_through(self._folder)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)

    def _drop_old(self) -> None:
        now_s = time.time()
        for folder in self._folder.iterdir() if self._folder.is_dir() else ():
            longest_s = UNFINISHED_FOR_S if folder.name.startswith(HIDDEN) else KEPT_FOR_S
            with suppress(OSError):
                if now_s - folder.stat().st_mtime > longest_s:
                    _remove(folder)


def _name_of(path: Path) -> str:
    """Return the name of the packed file, which differs for another file, processor or release of ONNX Runtime."""
    # Weights may be in files beside it.
    names = sorted(file for file in path.parent.iterdir() if file.name.startswith(path.name))
    stats = [(file, file.stat()) for file in names]
    files = [(str(file), stat.st_size, stat.st_mtime_ns, stat.st_ino) for file, stat in stats]
    said = (files, processor_features(), onnx_runtime().__version__)
    return sha256(repr(said).encode()).hexdigest()[:32]


def _remove(folder: Path) -> None:
    """Remove the folder in one step for others: none of them finds half of it."""
    gone = folder.with_name(f"{HIDDEN}gone-{os.getpid()}-{time.monotonic_ns()}")
    with suppress(OSError):
        folder.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)


def _write_through(path: Path) -> None:
    """Wait until the disk has the file, so that a power cut leaves no half of it under a valid name."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
