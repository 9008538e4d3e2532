"""The digest that identifies the content of a version. It is the same in every installation."""

import hashlib
import json
from collections.abc import Mapping


def version_digest(
    *,
    runtime: str,
    artifacts: Mapping[str, str],
    config: Mapping[str, object],
    steps: Mapping[str, str],
) -> str:
    """Return the digest of a version, from the digests of its files (`artifacts`) and members (`steps`) by role."""
    identity = {
        "runtime": runtime,
        "artifacts": dict(artifacts),
        "config": dict(config),
        "steps": dict(steps),
    }
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()
