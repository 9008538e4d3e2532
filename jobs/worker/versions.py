"""The model versions that this worker serves. Versions are immutable, so each is looked up once."""

import threading
from concurrent.futures import Future

from django.db import connections

from inference.core.calls import Call
from inference.core.contracts import VersionSpec
from inference.registry.artifacts import still_here
from inference.registry.models import ModelVersion
from inference.registry.selectors import spec_of
from tenants.core.db.unit_of_work import operator_work


def is_on_disk(spec: VersionSpec) -> bool:
    """Return whether the files of the version and its steps are on this machine, and keep them for some minutes."""
    return still_here(spec.artifacts.values()) and all(map(is_on_disk, spec.steps.values()))


class VersionCatalog:
    """A catalog of versions. The files of a version may take long to fetch, so each version is fetched by a separate
    thread, once for all callers.

    A caller that is canceled leaves, and the files are still fetched, because the next page will need them.
    """

    def __init__(self) -> None:
        self._specs: dict[int, Future[VersionSpec]] = {}
        self._lock = threading.Lock()

    def get(self, version_id: int, call: Call | None = None) -> VersionSpec:
        wanted = call or Call()
        spec = wanted.result_of(self._spec(version_id))
        if is_on_disk(spec):
            return spec
        self._forget(version_id, spec)
        return wanted.result_of(self._spec(version_id))

    def _forget(self, version_id: int, spec: VersionSpec) -> None:
        """Forget a version whose files have left the disk, unless another caller has had them fetched meanwhile."""
        with self._lock:
            known = self._specs.get(version_id)
            if known is not None and known.done() and known.exception() is None and known.result() is spec:
                del self._specs[version_id]

    def _spec(self, version_id: int) -> "Future[VersionSpec]":
        with self._lock:
            spec = self._specs.get(version_id)
            if spec is None:
                spec = self._specs[version_id] = Future()
                fetching = threading.Thread(
                    target=self._fetch,
                    args=[version_id, spec],
                    name=f"fetch-version-{version_id}",
                    daemon=True,
                )
                fetching.start()
            return spec

    def _fetch(self, version_id: int, spec: "Future[VersionSpec]") -> None:
        try:
            with operator_work():
                version = ModelVersion.objects.select_related("served_model").get(id=version_id)
                found = spec_of(version)
        except BaseException as error:
            # The next caller tries again.
            with self._lock:
                del self._specs[version_id]
            spec.set_exception(error)
        else:
            spec.set_result(found)
        finally:
            connections.close_all()
