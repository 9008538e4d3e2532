"""Serve the built-in models, built once for all tests of a process, with one engine."""

import atexit
import shutil
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from inference.core.contracts import VersionSpec
from inference.engine.engine import Engine, local_engine
from inference.registry.builtin.catalog import BUILTIN


@cache
def builtin_specs() -> Mapping[str, VersionSpec]:
    folder = Path(tempfile.mkdtemp(prefix="maas-test-models-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    specs: dict[str, VersionSpec] = {}
    for model in BUILTIN:
        specs[model.name] = VersionSpec(
            model=model.name,
            number=1,
            digest=model.release,
            runtime=model.runtime,
            artifacts={role: str(path) for role, path in model.build(folder).items()},
            config=model.config,
            steps={role: specs[name] for role, name in model.steps.items()},
        )
    return specs


@cache
def builtin_engine() -> Engine:
    return local_engine()
