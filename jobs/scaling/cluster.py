"""Writes on the pods of workers how much it costs to give each up, so that Kubernetes gives up the idlest first."""

import http.client
import json
import os
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import structlog

log = structlog.get_logger(__name__)
ANNOTATION = "controller.kubernetes.io/pod-deletion-cost"
ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
EVERY_S = 10.0
TIMEOUT_S = 1.5
MAX_AT_ONCE = 50
"""The most pods that are written to in one round. Those that changed most come first."""
NOT_THERE = 404


@dataclass(slots=True)
class Cluster:
    """The API of the cluster that this process runs in, with the token of its service account."""

    host: str
    port: int
    account: Path = ACCOUNT
    clock: Callable[[], float] = time.monotonic
    _written: dict[str, int] = field(default_factory=dict)
    _next_s: float = float("-inf")

    def write(self, costs: Mapping[str, int]) -> None:
        """Write the costs that have changed, by the names of workers. A failure is logged and tried again later."""
        if self.clock() < self._next_s:
            return
        self._next_s = self.clock() + EVERY_S
        by_pod = {pod_of(worker): cost for worker, cost in costs.items()}
        self._written = {pod: cost for pod, cost in self._written.items() if pod in by_pod}
        # What another scheduler wrote on a pod before is unknown, so the first cost is always written.
        changed = {pod: cost for pod, cost in by_pod.items() if self._written.get(pod) != cost}
        if not changed:
            return
        order = sorted(changed, key=lambda pod: -abs(changed[pod] - self._written.get(pod, 0)))
        try:
            self._write_all({pod: changed[pod] for pod in order[:MAX_AT_ONCE]})
        except (OSError, http.client.HTTPException) as error:
            log.warning("deletion_costs_not_written", error=str(error))

    def _write_all(self, costs: Mapping[str, int]) -> None:
        namespace = (self.account / "namespace").read_text().strip()
        token = (self.account / "token").read_text().strip()
        context = ssl.create_default_context(cafile=str(self.account / "ca.crt"))
        connection = http.client.HTTPSConnection(self.host, self.port, timeout=TIMEOUT_S, context=context)
        try:
            for pod, cost in costs.items():
                connection.request(
                    "PATCH",
                    f"/api/v1/namespaces/{quote(namespace)}/pods/{quote(pod)}",
                    json.dumps({"metadata": {"annotations": {ANNOTATION: str(cost)}}}),
                    {"Authorization": f"Bearer {token}", "Content-Type": "application/merge-patch+json"},
                )
                answer = connection.getresponse()
                answer.read()
                # A pod that is gone, and a worker that runs outside of the cluster, cost nothing.
                if answer.status < 300 or answer.status == NOT_THERE:
                    self._written[pod] = cost
                else:
                    log.warning("deletion_costs_not_written", pod=pod, error=f"{answer.status} {answer.reason}")
                    return
        finally:
            connection.close()


def pod_of(worker: str) -> str:
    """Return the name of a worker's pod, which is its host name, without the id of the process."""
    return worker.rpartition("-")[0]


def own_cluster(variables: Mapping[str, str] = os.environ, account: Path = ACCOUNT) -> Cluster | None:
    """Return the cluster that this process runs in, or None if it has no token for one."""
    host = variables.get("KUBERNETES_SERVICE_HOST")
    if not host or not (account / "token").is_file():
        return None
    return Cluster(host, int(variables.get("KUBERNETES_SERVICE_PORT_HTTPS", "443")), account)
