"""Checks the manifests of deploy/kubernetes, for `make check`: `python -m tests.deploy.kubernetes`."""

import sys

from tests.deploy.kubernetes.kustomize import BASE, OVERLAYS, render
from tests.deploy.kubernetes.schemas import faults


def main() -> int:
    found = [f"{folder.name}: {fault}" for folder in (BASE, *OVERLAYS) for fault in faults(render(folder))]
    for fault in found:
        print(fault)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
