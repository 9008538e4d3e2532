"""The models for which homes are chosen, from the registry and with the workers' measurements."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from django.db import connections
from django.db.models import Q, QuerySet

from inference.registry.models import ModelVersion, PipelineStep, ServedModel, SessionProfile
from inference.registry.references import read_engine_key
from inference.registry.tiers import current_tiers
from inference.tiers.routes import PoolFacts, Tiers, pool_of_queue, queue_key, version_of_queue
from inference.workers.heartbeats import WorkerReport
from inference.workers.placement.fleet import DEFAULT_POOL, Model, Strategy
from tenants.core.db.unit_of_work import APP, OPERATOR, operator_work

READS_BYTES_PER_S = 200e6
"""An estimate of the load speed for a model that no worker has loaded yet."""
LOAD_FLOOR_S = 0.05
SESSION_FILE = ".onnx"
UNMEASURED_FACTOR, UNMEASURED_BYTES = 2, 4_000_000
"""The estimated bytes in memory of a file that was never loaded: a factor of its size, plus a constant.

ONNX Runtime holds weights twice if it repacks them for its kernels, and some bytes for every session.
"""


class Measured:
    """Measured sizes and load times from all workers. They outlive the workers that reported them."""

    def __init__(self) -> None:
        self._bytes: dict[str, int] = {}
        self._load_s: dict[str, float] = {}

    def learn(self, reports: Iterable[WorkerReport]) -> None:
        for report in reports:
            for file, size in report.files.items():
                self.learn_file(file, size)
            for held in report.models:
                if held.load_s > 0:
                    self._load_s[held.key] = held.load_s

    def learn_file(self, file: str, held_bytes: int) -> None:
        self._bytes[file] = max(held_bytes, self._bytes.get(file, 0))

    def apply(self, model: Model) -> Model:
        """Replace the sizes of the model's files, which are storage sizes, by measurements or estimates."""
        files = {
            file: self._bytes.get(file, UNMEASURED_FACTOR * size + UNMEASURED_BYTES)
            for file, size in model.files.items()
        }
        least = [self._bytes.get(file, size) for file, size in model.files.items()]
        guess_s = model.load_s or LOAD_FLOOR_S + sum(files.values()) / READS_BYTES_PER_S
        return replace(
            model,
            files=files,
            min_bytes=sum(least),
            min_in_turns_bytes=max(least, default=0),
            load_s=self._load_s.get(model.version_key, guess_s),
        )


class ModelCatalog:
    """The registry as the placement needs it. Files are read once; versions and pools at every look."""

    def __init__(self, measured: Measured) -> None:
        self._measured = measured
        self._files: dict[int, Mapping[str, int]] = {}
        self._load_s: dict[int, float] = {}
        """The load time as some worker measured it, or as it was in the trial when the file was added."""

    def read(self, also: Iterable[str] = ()) -> tuple[Model, ...]:
        """Return the versions that may be requested, and those of the queues in `also` that are retired, as not wanted.

        In the pool of a tier, a version is there if its queue is in `also`, or if the pool is to hold all models.
        """
        queues, tiers = set(also), current_tiers()
        with operator_work():
            versions = list(_versions().filter(state=ModelVersion.State.READY, deleted_at=None))
            retired = {version_of_queue(key) for key in queues} - {version.engine_key for version in versions}
            if retired:
                versions += _versions().filter(_named(retired))
            self._read_files([version for version in versions if version.id not in self._files])
            models = [self._model(version) for version in versions]
        return (*models, *_in_tiers(models, queues, tiers))

    def version(self, version_id: int) -> Model | None:
        """Return a version as a model of its own pool, with the sizes of its files in storage."""
        with operator_work():
            version = _versions().filter(id=version_id).first()
            if version is None:
                return None
            self._read_files([version])
            return self._model(version)

    def _model(self, version: ModelVersion) -> Model:
        served = version.served_model
        active = served.state == ServedModel.State.ACTIVE
        is_ready = version.state == ModelVersion.State.READY
        pool = served.pool
        return Model(
            key=version.engine_key,
            version_id=version.id,
            files=self._files[version.id],
            load_s=self._load_s.get(version.id, 0.0),
            pool=pool.name if pool else DEFAULT_POOL,
            dedicated=pool is not None and pool.dedicated,
            strategy=Strategy(pool.strategy) if pool else Strategy.STICKY,
            # The process of an isolated model is started on demand.
            warm=active and is_ready and not served.is_isolated,
            current=served.current_id == version.id,
            wanted=is_ready,
        )

    def _read_files(self, versions: list[ModelVersion]) -> None:
        if not versions:
            return
        members: dict[int, list[int]] = {}
        for pipeline_id, member_id in PipelineStep.objects.values_list("pipeline_id", "member_id"):
            members.setdefault(pipeline_id, []).append(member_id)
        wanted = _with_members([version.id for version in versions], members)
        own: dict[int, dict[str, int]] = {}
        tried_s: dict[int, float] = {}
        rows = ModelVersion.objects.filter(id__in=wanted).values_list("id", "artifacts", "config")
        for version_id, artifacts, config in rows:
            own[version_id] = _session_files(artifacts)
            tried_s[version_id] = float(config.get("load_s") or 0.0)
        profiles = _profiles({file for files in own.values() for file in files})
        for profile in profiles.values():
            self._measured.learn_file(profile.artifact, profile.loaded_bytes)
        for version in versions:
            parts = _with_members([version.id], members)
            files = {file: size for part in parts for file, size in own[part].items()}
            profiles_found = [profiles[file] for file in files if file in profiles]
            self._files[version.id] = files
            measured_s = (
                sum(profile.load_s + profile.warm_up_s for profile in profiles_found)
                if len(profiles_found) == len(files)
                else 0.0
            )
            self._load_s[version.id] = measured_s or tried_s[version.id]


def queues_in_tiers(models: Iterable[Model], tiers: Tiers, served: Collection[str] = ()) -> set[str]:
    """Return the queues of models in all pools of tiers, or in the `served` ones."""
    pools = [name for name in tiers.pools if not served or name in served]
    return {
        queue_key(model.key, pool, model.pool)
        for model in models
        if model.wanted and model.key == model.version_key
        for pool in pools
    }


def _in_tiers(models: Iterable[Model], queues: Collection[str], tiers: Tiers) -> Iterator[Model]:
    """Yield the versions as models of the pools of tiers, in so far as they are needed there."""
    if not tiers.in_use:
        return
    named: dict[str, set[str]] = {}
    for key in queues:
        pool = pool_of_queue(key)
        if pool is not None and pool in tiers.pools:
            named.setdefault(version_of_queue(key), set()).add(pool)
    warm = {name for name, facts in tiers.pools.items() if facts.warm}
    for model in models:
        for pool in sorted((warm if model.wanted else set()) | named.get(model.key, set())):
            if pool != model.pool:
                yield _in_pool(model, tiers.pools[pool])


def _in_pool(model: Model, pool: PoolFacts) -> Model:
    return replace(
        model,
        key=queue_key(model.key, pool.name, model.pool),
        pool=pool.name,
        dedicated=pool.dedicated,
        strategy=Strategy(pool.strategy),
        warm=model.warm and pool.warm,
    )


def _profiles(files: Iterable[str]) -> dict[str, SessionProfile]:
    """Return the profiles by file. If a file has profiles of several devices, the largest is returned."""
    with operator_work():
        found = SessionProfile.objects.filter(artifact__in=list(files)).order_by("loaded_bytes")
        return {profile.artifact: profile for profile in found}


def _versions() -> "QuerySet[ModelVersion]":
    return ModelVersion.objects.select_related("served_model__pool").defer(
        "config", "signature", "artifacts", "served_model__parameters", "served_model__description"
    )


def _named(keys: Iterable[str]) -> Q:
    named = Q()
    for text in keys:
        key = read_engine_key(text)
        if key is not None:
            named |= Q(served_model__name=key.name, served_model__tenant=key.tenant_id, number=key.number)
    return named


def _with_members(version_ids: Iterable[int], members: Mapping[int, list[int]]) -> set[int]:
    found: set[int] = set()
    waiting = list(version_ids)
    while waiting:
        version_id = waiting.pop()
        if version_id not in found:
            found.add(version_id)
            waiting += members.get(version_id, [])
    return found


def _session_files(artifacts: Mapping[str, Mapping[str, object]]) -> dict[str, int]:
    """Return the files that are held as sessions. Vocabularies and similar files are small and are held elsewhere."""
    return {
        str(artifact["sha256"]): int(str(artifact["bytes"]))
        for artifact in artifacts.values()
        if str(artifact["file"]).endswith(SESSION_FILE)
    }


READ_S = 10.0


def bound_reads() -> None:
    """Limit the duration of this thread's statements and lock waits, before every read."""
    for alias in (APP, OPERATOR):
        with connections[alias].cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, false)", [f"{READ_S * 1000:.0f}ms"])
