"""Turns a container of a manifest into a process of this machine: its command, variables, folders and addresses."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.deploy.kubernetes.confined import confined
from tests.docs.containers import DOCKERFILES, default_command, variables
from tests.services import without_product

Objects = Mapping[tuple[str, str], Mapping[str, str]]
"""The data of ConfigMaps and Secrets, by kind and name."""
EVERY_ADDRESS = "0.0.0.0"


class NotStarted(Exception):
    """A container that a kubelet would not start either, because a manifest refers to what does not exist."""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """What the containers of one pod share: its name, its address and its volumes."""

    pod: str
    ip: str
    folder: Path
    spec: Mapping[str, Any]

    def volume(self, name: str) -> Path:
        if name not in {volume["name"] for volume in self.spec.get("volumes", ())}:
            raise NotStarted(f"{self.pod} has no volume {name}")
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        # An emptyDir belongs to root, and the pod's group may write in it.
        folder.chmod(0o2777)
        return folder


@dataclass(frozen=True, slots=True)
class Container:
    """A container's process, before it is started."""

    argv: list[str]
    env: dict[str, str]
    image: Path
    log: Path

    def start(self) -> "subprocess.Popen[bytes]":
        with self.log.open("ab") as log:
            return subprocess.Popen(
                self.argv, env=self.env, cwd=self.image, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def run(self, argv: list[str]) -> "subprocess.CompletedProcess[str]":
        """Run another command in it, as `kubectl exec` does."""
        prefix = self.argv[: self.argv.index("--") + 1]
        return subprocess.run(
            [*prefix, *argv], env=self.env, cwd=self.image, capture_output=True, text=True, check=False
        )


def container_of(declared: Mapping[str, Any], sandbox: Sandbox, image: Path, objects: Objects) -> Container:
    """Return the container. Raises NotStarted."""
    mounts = _mounts(declared, sandbox)
    argv = [*declared.get("command", default_command(DOCKERFILES[0])), *declared.get("args", ())]
    given = variables(DOCKERFILES[0]) | _variables(declared, sandbox, objects)
    env = without_product(os.environ) | {name: _placed(value, mounts) for name, value in given.items()}
    if env["MAAS_HOST"] == EVERY_ADDRESS:
        env["MAAS_HOST"] = sandbox.ip
    env["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    if "/tmp" in mounts:
        env["TMPDIR"] = str(mounts["/tmp"])
    read_only = declared.get("securityContext", {}).get("readOnlyRootFilesystem", False)
    writable = [*mounts.values()] if read_only else [Path("/")]
    log = sandbox.folder / f"{declared['name']}.log"
    return Container(confined(writable, argv), env, image, log)


def _mounts(declared: Mapping[str, Any], sandbox: Sandbox) -> dict[str, Path]:
    """Return the local folder of each path at which a volume is mounted. One within another is linked there."""
    mounts: dict[str, Path] = {}
    for mount in sorted(declared.get("volumeMounts", ()), key=lambda mount: str(mount["mountPath"])):
        path = mount["mountPath"]
        folder = sandbox.volume(mount["name"])
        for outer, outer_folder in mounts.items():
            if path.startswith(f"{outer}/"):
                inner = outer_folder / path.removeprefix(f"{outer}/")
                if not inner.is_symlink():
                    inner.symlink_to(folder)
        mounts[path] = folder
    return mounts


def _placed(value: str, mounts: Mapping[str, Path]) -> str:
    """Return the value with the paths of mounted volumes replaced by their local folders."""
    for path, folder in mounts.items():
        for start in ("", "file://"):
            if value == start + path or value.startswith(f"{start}{path}/"):
                return f"{start}{folder}{value.removeprefix(start + path)}"
    return value


def _variables(declared: Mapping[str, Any], sandbox: Sandbox, objects: Objects) -> dict[str, str]:
    found: dict[str, str] = {}
    for source in declared.get("envFrom", ()):
        name = source["configMapRef"]["name"]
        if ("ConfigMap", name) not in objects:
            raise NotStarted(f"{sandbox.pod}: there is no ConfigMap {name}")
        found |= objects["ConfigMap", name]
    for variable in declared.get("env", ()):
        if "value" in variable:
            found[variable["name"]] = variable["value"]
            continue
        reference = variable["valueFrom"]["secretKeyRef"]
        secret = objects.get(("Secret", reference["name"]), {})
        if reference["key"] in secret:
            found[variable["name"]] = secret[reference["key"]]
        elif not reference.get("optional", False):
            raise NotStarted(f"{sandbox.pod}: the Secret {reference['name']} has no {reference['key']}")
    return found
