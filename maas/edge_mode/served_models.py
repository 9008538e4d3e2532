"""The models that one process serves. They are built in, admitted or declared from files, without a registry."""

import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from inference.core.contracts import Json, VersionSpec
from inference.pipelines.checking import check_graph
from inference.pipelines.declaration import MAX_CHARACTERS, read_graph
from inference.pipelines.graph import Graph, GraphInvalid
from inference.pipelines.members import Member
from inference.pipelines.operations.values import described
from inference.registry.admission import AdmissionLimits, ModelRefused, admit, trial_run
from inference.registry.artifacts import sha256_of
from inference.registry.builtin.catalog import BuiltinModel, builtin_models
from inference.registry.builtin.installed import PackageMissing
from inference.registry.digests import version_digest
from inference.registry.references import NAME
from inference.runtime.parameters import GRAPH, TENSORS, documents_of
from inference.runtime.tensors import output_shapes
from inference.sandbox import SandboxUnavailable
from maas.edge_mode.errors import CannotServe
from maas.edge_mode.options import EdgeOptions
from maas.local.embedded.folders import private_folder

ABANDONED_S = 3600.0
"""The age at which a half-made folder counts as abandoned: no process still works on it."""
DIGESTS = "digests.json"


@dataclass(frozen=True, slots=True)
class ShelfModel:
    spec: VersionSpec
    title: str
    description: str
    accepts: tuple[str, ...]
    signature: Mapping[str, Json]
    parameters: tuple[Mapping[str, Json], ...] = ()
    member: Member | None = None
    """The model as a member of pipelines, if it is a declared pipeline itself."""

    def as_member(self) -> Member:
        return self.member or Member(self.spec.key, self.spec.runtime, self.signature)

    def as_json(self) -> dict[str, Json]:
        """Return the model as `/v1/models` of the whole product shows it, but without state and price."""
        return {
            "id": self.spec.model,
            "object": "model",
            "owned_by": "maas",
            "title": self.title,
            "description": self.description,
            "accepts": list(self.accepts),
            "documents": list(documents_of(self.spec.runtime, self.spec.config)),
            "parameters": [dict(parameter) for parameter in self.parameters],
            "version": self.spec.number,
            "digest": self.spec.digest,
            "signature": dict(self.signature),
        }


@dataclass
class Shelf:
    """The models of this process. It is filled once, before the first call."""

    folder: Path
    builtin: Mapping[str, BuiltinModel]
    models: dict[str, ShelfModel] = field(default_factory=dict)
    parts: dict[str, ShelfModel] = field(default_factory=dict)
    """Built-in models that are steps of others, whether or not they are also served by name."""


def fill_shelf(
    options: EdgeOptions,
    home: Path,
    *,
    languages: Mapping[str, Path] | None = None,
    sandbox_needs: Set[str] = frozenset(),
) -> dict[str, ShelfModel]:
    """Prepare every model that the options name. Files that exist already are not built again. Raises CannotServe."""
    builtin = {model.name: model for model in builtin_models(languages or {})}
    shelf = Shelf(private_folder(private_folder(home) / "edge"), builtin)
    _remove_abandoned(shelf.folder)
    _check_names(options)
    for name in options.models:
        shelf.models[name] = _builtin(name, shelf)
    for name, path in options.onnx.items():
        shelf.models[name] = _admitted(name, path, shelf.folder, sandbox_needs)
    for name, path in options.graphs.items():
        shelf.models[name] = _declared(name, path, options.members.get(name, {}), shelf.models)
    return shelf.models


def _check_names(options: EdgeOptions) -> None:
    names = [*options.models, *options.onnx, *options.graphs]
    for name in names:
        if not NAME.fullmatch(name):
            raise CannotServe(f"{name[:60]!r} is not a name for a model: use letters, digits, - and _")
        if names.count(name) > 1:
            raise CannotServe(f"two models would be called {name!r}")
    for pipeline in options.members:
        if pipeline not in options.graphs:
            raise CannotServe(f"--member names the pipeline {pipeline!r}, which no --graph declares")


def _builtin(name: str, shelf: Shelf) -> ShelfModel:
    if name not in shelf.builtin:
        raise CannotServe(f"there is no built-in model {name!r}; there are {', '.join(shelf.builtin)}")
    if name not in shelf.parts:
        model = shelf.builtin[name]
        steps = {role: _builtin(part, shelf) for role, part in model.steps.items()}
        shelf.parts[name] = _built(model, steps, shelf.folder)
    return shelf.parts[name]


def _built(model: BuiltinModel, steps: Mapping[str, ShelfModel], folder: Path) -> ShelfModel:
    files, digests = _build(model, folder / "builtin" / f"{model.name}-{model.release}")
    config = {**model.config, "release": model.release}
    specs = {role: step.spec for role, step in steps.items()}
    spec = _spec(model.name, runtime=model.runtime, files=files, digests=digests, config=config, steps=specs)
    member = _pipeline_member(spec.key, read_graph(config["graph"]), steps) if model.runtime == GRAPH else None
    signature, parameters = model.signature, model.parameters_json()
    return ShelfModel(spec, model.title, model.description, model.accepts, signature, parameters, member)


def _build(model: BuiltinModel, target: Path) -> tuple[dict[str, Path], dict[str, str]]:
    files = {role: target / artifact.name for role, artifact in model.artifacts.items()}
    digests = _read_digests(target)
    if digests is None or {role: _sha256(path) for role, path in files.items()} != digests:
        shutil.rmtree(target, ignore_errors=True)
        with _half_made(target) as part:
            try:
                made = model.build(part)
            except PackageMissing as error:
                raise CannotServe(f"{model.name}: {error}") from error
            digests = {role: sha256_of(path) for role, path in made.items()}
            (part / DIGESTS).write_text(json.dumps(digests))
    return files, digests


def _read_digests(folder: Path) -> dict[str, str] | None:
    try:
        return dict(json.loads((folder / DIGESTS).read_text()))
    except (OSError, ValueError):
        return None


def _sha256(path: Path) -> str | None:
    return sha256_of(path) if path.is_file() else None


def _admitted(name: str, path: Path, folder: Path, sandbox_needs: Set[str]) -> ShelfModel:
    """Admit a model file and return its model, at every start: what an older release admitted may be refused now."""
    with tempfile.TemporaryDirectory(prefix=".part-", dir=folder) as private:
        # The checked file must be the served file, whatever happens to the operator's file meanwhile.
        copy = Path(private) / "model.onnx"
        try:
            shutil.copyfile(path, copy)
            signature = trial_run(copy, admit(copy, AdmissionLimits()), needs=sandbox_needs).signature
        except OSError as error:
            raise CannotServe(f"{name}: {path} cannot be read: {error.strerror}") from error
        except ModelRefused as refusal:
            raise CannotServe(f"{name}: {path} is refused, {refusal.code}: {refusal.detail}") from refusal
        except SandboxUnavailable as error:
            raise CannotServe(f"{name}: {path} cannot be tried out: {error}") from error
        sha256 = sha256_of(copy)
        kept = folder / "added" / sha256
        if _sha256(kept / copy.name) != sha256:
            shutil.rmtree(kept, ignore_errors=True)
            with _half_made(kept) as part:
                shutil.move(copy, part / copy.name)
    spec = _spec(
        name,
        runtime="onnx",
        files={"weights": kept / copy.name},
        digests={"weights": sha256},
        config={},
        steps={},
    )
    served = signature.to_json()
    return ShelfModel(replace(spec, output_shapes=output_shapes(served)), name, "", (TENSORS,), served)


def _declared(name: str, path: Path, roles: Mapping[str, str], served: Mapping[str, ShelfModel]) -> ShelfModel:
    unknown = [model for model in roles.values() if model not in served]
    if unknown:
        raise CannotServe(f"{name}: its member {unknown[0]!r} is not served here; name it with --models or --onnx")
    members = {role: served[model] for role, model in roles.items()}
    declared = _read_json(name, path)
    try:
        graph = read_graph(declared)
        member = _pipeline_member(f"{name}@1", graph, members)
    except GraphInvalid as error:
        raise CannotServe(f"{name}: {path}: {error}") from error
    spec = _spec(
        name,
        runtime=GRAPH,
        files={},
        digests={},
        config={"graph": declared},
        steps={role: member.spec for role, member in members.items()},
    )
    assert member.answer is not None
    signature = {**graph.signature(), "outputs": described(member.answer)}
    return ShelfModel(spec, name, "", graph.accepts, signature, graph.parameters_json(), member)


def _pipeline_member(key: str, graph: Graph, steps: Mapping[str, ShelfModel]) -> Member:
    """Check a pipeline and return it as a member of others. Raises GraphInvalid."""
    answer = check_graph(graph, {role: step.as_member() for role, step in steps.items()})
    return Member(key, GRAPH, graph.signature(), graph.accepts, answer, graph.parameters)


def _read_json(name: str, path: Path) -> Json:
    try:
        with path.open("rb") as file:
            return json.loads(file.read(4 * MAX_CHARACTERS))
    except OSError as error:
        raise CannotServe(f"{name}: {path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise CannotServe(f"{name}: {path} is not JSON: {error}") from error


def _spec(
    name: str,
    *,
    runtime: str,
    files: Mapping[str, Path],
    digests: Mapping[str, str],
    config: Mapping[str, Json],
    steps: Mapping[str, VersionSpec],
) -> VersionSpec:
    digest = version_digest(
        runtime=runtime,
        artifacts=digests,
        config=config,
        steps={role: step.digest for role, step in steps.items()},
    )
    return VersionSpec(name, 1, digest, runtime, {role: str(path) for role, path in files.items()}, config, steps)


@contextmanager
def _half_made(target: Path) -> Iterator[Path]:
    """Yield a folder that appears under its final name whole or not at all. Another process may finish it first."""
    private_folder(target.parent)
    part = Path(tempfile.mkdtemp(prefix=".part-", dir=target.parent))
    try:
        yield part
        try:
            os.rename(part, target)
        except OSError:
            if not target.is_dir():
                raise
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _remove_abandoned(folder: Path) -> None:
    oldest_s = time.time() - ABANDONED_S
    for part in [*folder.glob(".part-*"), *folder.glob("*/.part-*")]:
        if part.stat().st_mtime < oldest_s:
            shutil.rmtree(part, ignore_errors=True)
