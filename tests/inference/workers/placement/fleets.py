"""Build workers, models and snapshots in few words."""

from collections.abc import Mapping

from inference.workers.placement.fleet import Demand, Held, Model, Snapshot, Strategy, Worker

MB = 1_000_000


def model(key: str = "m@1", size: int = 10, **more: object) -> Model:
    """Return a model with a file of its own, of `size` MB."""
    facts: dict[str, object] = {"files": {f"file of {key}": size * MB}, "load_s": size / 10, "version_id": 1}
    return Model(key=key, **{**facts, **more})  # type: ignore[arg-type]


def worker(name: str = "w", *models: Model, budget: int = 100, idle_s: float = 100.0, **more: object) -> Worker:
    """Return a worker that has held these models for long and is idle, with the rest of its budget (in MB) free."""
    files = {file: size for one in models for file, size in one.files.items()}
    facts: dict[str, object] = {
        "budget_bytes": budget * MB,
        "free_bytes": budget * MB - sum(files.values()),
        "files": files,
        "held": {one.key: Held(1000.0, idle_s, one.load_s) for one in models},
        "slots": 4,
    }
    return Worker(name=name, **{**facts, **more})  # type: ignore[arg-type]


def snapshot(
    *workers: Worker,
    models: tuple[Model, ...] = (),
    demand: Mapping[str, Demand] | None = None,
    **more: object,
) -> Snapshot:
    return Snapshot(workers=workers, models=models, demand=demand or {}, **more)  # type: ignore[arg-type]


def random_pool(one: Model) -> Model:
    return model(one.key, pool="control", strategy=Strategy.RANDOM)
