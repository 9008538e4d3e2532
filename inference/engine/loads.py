"""Counts of the loads and evictions of each model version, their times, and the memory that it holds."""

from collections.abc import Mapping

from inference.engine.engine import Engine
from inference.runtime.model_loads import ModelLoads


def loads_of(engine: Engine) -> Mapping[str, ModelLoads]:
    """Return the loads of every version that was served here. A pipeline has no files; its members have them."""
    tallies = engine.host.tallies()
    held = {session.path: session.held_bytes for session in engine.host.resident()}
    found = {}
    for key, paths in engine.own_files().items():
        known = [tallies[path] for path in paths if path in tallies]
        found[key] = ModelLoads(
            loads=sum(one.loads for one in known),
            load_s=sum(one.load_s for one in known),
            failures=sum(one.failures for one in known),
            evictions=sum(one.evictions for one in known),
            held_bytes=sum(held.get(path, 0) for path in paths),
        )
    return found
