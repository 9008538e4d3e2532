"""What this worker knows of the model versions it serves; versions are immutable, so each is looked up once."""

import threading
from collections import defaultdict

from inference.contracts import VersionSpec
from inference.registry.models import ModelVersion
from inference.registry.selectors import spec_of


class VersionCatalogue:
    """A version's files may take long to fetch: whoever needs another version does not wait for them."""

    def __init__(self) -> None:
        self._specs: dict[int, VersionSpec] = {}
        self._lock = threading.Lock()
        self._fetching: defaultdict[int, threading.Lock] = defaultdict(threading.Lock)

    def get(self, version_id: int) -> VersionSpec:
        spec = self._specs.get(version_id)
        if spec is not None:
            return spec
        with self._lock:
            fetching = self._fetching[version_id]
        with fetching:
            if version_id not in self._specs:
                version = ModelVersion.objects.select_related("served_model").get(id=version_id)
                self._specs[version_id] = spec_of(version)
            return self._specs[version_id]
