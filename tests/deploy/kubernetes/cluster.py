"""Plays manifests as processes of this machine: a job, deployments with rolling updates, and a service's endpoints.

Each pod has a loopback address of its own, so ports are those of the manifests. Not played: images, users, limits of
resources, network policies, the scheduling of pods and the Kubernetes API. Where a deployment leaves its number to
KEDA, the lowest number of KEDA counts.
"""

import random
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.deploy.kubernetes.containers import Objects, Sandbox, container_of
from tests.deploy.kubernetes.kustomize import Resource
from tests.deploy.kubernetes.pods import Pod
from tests.waiting import eventually

NOTICED_S = 3.0
"""Seconds for which a service still sends calls to a pod that is being deleted. Proxies learn of it late."""
TIMEOUT_S = 240.0


class JobFailed(Exception):
    """A job that used up its retries."""


class Cluster:
    """The resources of one kustomization, on this machine."""

    def __init__(
        self, resources: Sequence[Resource], *, secrets: Mapping[str, Mapping[str, str]], image: Path, folder: Path
    ) -> None:
        self._resources = {(one["kind"], one["metadata"]["name"]): one for one in resources}
        config = {key: one["data"] for key, one in self._resources.items() if key[0] == "ConfigMap"}
        self._objects: Objects = {**config, **{("Secret", name): data for name, data in secrets.items()}}
        self._image = image
        self._folder = folder
        self._network = f"127.{random.randint(16, 250)}.{random.randint(0, 255)}"
        self._made = 0
        self.pods: dict[str, list[Pod]] = {}
        """The pods of each deployment, also those that are being deleted."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pods = [pod for pods in self.pods.values() for pod in pods]
        for pod in pods:
            pod.delete(in_haste=True)
        for pod in pods:
            pod.wait_until_gone()

    def run_job(self, name: str) -> None:
        """Run a job to its end: its first containers one after the other, then the others. Raises JobFailed."""
        job = self._resources["Job", name]["spec"]
        for attempt in range(job["backoffLimit"] + 1):
            sandbox = self._sandbox(name, job["template"]["spec"])
            declared = [*sandbox.spec.get("initContainers", ()), *sandbox.spec["containers"]]
            if all(self._status_of(one, sandbox) == 0 for one in declared):
                return
            time.sleep(min(2.0**attempt, 10))
        raise JobFailed("\n".join(log.read_text()[-4000:] for log in sandbox.folder.glob("*.log")))

    def _status_of(self, declared: dict[str, Any], sandbox: Sandbox) -> int:
        process = container_of(declared, sandbox, self._image, self._objects).start()
        return process.wait(TIMEOUT_S)

    def deploy(self, name: str) -> None:
        """Start the pods of a deployment, as many as it or KEDA wants, and do not wait for them."""
        self.pods[name] = [self._pod(name) for _ in range(self.replicas(name))]

    def replicas(self, name: str) -> int:
        for (kind, _), one in self._resources.items():
            if kind == "ScaledObject" and one["spec"]["scaleTargetRef"]["name"] == name:
                return int(one["spec"]["minReplicaCount"])
        return int(self._resources["Deployment", name]["spec"].get("replicas", 1))

    def wait_until_ready(self, *names: str, timeout_s: float = TIMEOUT_S) -> None:
        pods = [pod for name in names for pod in self.pods[name] if pod.deleted_s is None]
        try:
            eventually(lambda: all(pod.ready for pod in pods), "readiness", timeout_s)
        except AssertionError as error:
            raise AssertionError(f"{error}: {self._reasons(pods)}") from None

    def _reasons(self, pods: Sequence[Pod]) -> str:
        return "\n".join(f"{pod.name}: {pod.restarts}\n{pod.output[-3000:]}" for pod in pods if not pod.ready)

    def roll(self, name: str) -> list[Pod]:
        """Replace the pods of a deployment as its strategy says, and return the old ones when they are gone."""
        strategy = self._resources["Deployment", name]["spec"]["strategy"]["rollingUpdate"]
        wanted = self.replicas(name)
        old = list(self.pods[name])
        waiting = list(old)
        new: list[Pod] = []
        while waiting or len(new) < wanted:
            while len(new) < wanted and len(waiting) + len(new) < wanted + strategy["maxSurge"]:
                new.append(self._pod(name))
                self.pods[name].append(new[-1])
            ready = sum(pod.ready for pod in (*waiting, *new))
            for pod in waiting[: max(0, ready - (wanted - strategy["maxUnavailable"]))]:
                waiting.remove(pod)
                pod.delete()
            if any(len(pod.restarts) > 2 for pod in new):
                raise AssertionError(self._reasons(new))
            time.sleep(0.1)
        self.wait_until_ready(name)
        for pod in old:
            pod.wait_until_gone()
            self.pods[name].remove(pod)
        return old

    def endpoints(self, service: str, port: str) -> list[str]:
        """Return the addresses to which calls of a service go now."""
        spec = self._resources["Service", service]["spec"]
        (target,) = (one["targetPort"] for one in spec["ports"] if one["name"] == port)
        return [
            f"{pod.ip}:{number}"
            for name, pods in self.pods.items()
            if (number := self._port_of(name, spec["selector"], target)) is not None
            for pod in pods
            if pod.ready and (pod.deleted_s is None or time.monotonic() - pod.deleted_s < NOTICED_S)
        ]

    def _port_of(self, deployment: str, selector: Mapping[str, str], target: str) -> int | None:
        template = self._resources["Deployment", deployment]["spec"]["template"]
        if not selector.items() <= template["metadata"]["labels"].items():
            return None
        ports = template["spec"]["containers"][0]["ports"]
        return next((int(port["containerPort"]) for port in ports if port["name"] == target), None)

    def execute(self, name: str, *argv: str) -> "subprocess.CompletedProcess[str]":
        """Run a command in a pod of a deployment."""
        return self.pods[name][0].container.run(list(argv))

    def _pod(self, name: str) -> Pod:
        template = self._resources["Deployment", name]["spec"]["template"]
        sandbox = self._sandbox(name, template["spec"])
        (declared,) = template["spec"]["containers"]
        pod = Pod(declared, sandbox, container_of(declared, sandbox, self._image, self._objects))
        pod.start()
        return pod

    def _sandbox(self, name: str, spec: Mapping[str, Any]) -> Sandbox:
        self._made += 1
        pod = f"{name}-{self._made}"
        folder = self._folder / pod
        folder.mkdir()
        return Sandbox(pod, f"{self._network}.{self._made}", folder, spec)
