"""uv fetches packages from the index of pip, unless uv has its own setting."""

import subprocess
from pathlib import Path

import pytest

from tests.kept_cluster import PROJECT

PIP_SAYS = """\
:env:.index-url='https://reader:word@mirror.example/simple'
global.extra-index-url='\\nfile:///opt/one\\nfile:///opt/two'
global.index-url='https://elsewhere.example/simple'
global.trusted-host='mirror.example'
"""


def told(folder: Path, pip_says: str, **variables: str) -> dict[str, str]:
    """The variables that uv is run with, in an environment whose pip has this configuration."""
    programs = folder / "bin"
    programs.mkdir()
    (folder / "pip.txt").write_text(pip_says)
    for name, script in {"python": f"cat {folder}/pip.txt", "uv": "echo asked=$*; env"}.items():
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)
    command = [str(PROJECT / "requirements" / "uv"), str(folder), "pip", "install"]
    env = {"PATH": "/usr/bin:/bin", **variables}
    output = subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout
    return dict(line.split("=", 1) for line in output.splitlines())


def test_index_of_pip_is_that_of_uv(tmp_path: Path) -> None:
    found = told(tmp_path, PIP_SAYS)
    assert found["asked"] == "pip install"
    assert found["UV_DEFAULT_INDEX"] == "https://reader:word@mirror.example/simple"
    assert found["UV_INDEX"].strip() == "file:///opt/one file:///opt/two"
    assert found["UV_INSECURE_HOST"] == "mirror.example"


@pytest.mark.parametrize("name", ["UV_DEFAULT_INDEX", "UV_INDEX_URL"])
def test_what_uv_was_told_itself_holds(tmp_path: Path, name: str) -> None:
    found = told(tmp_path, PIP_SAYS, **{name: "https://own.example/simple"})
    assert found["UV_DEFAULT_INDEX"] == "https://own.example/simple"


def test_nothing_is_said_where_pip_has_nothing_to_say(tmp_path: Path) -> None:
    assert not {"UV_DEFAULT_INDEX", "UV_INDEX", "UV_INSECURE_HOST", "SSL_CERT_FILE"} & set(told(tmp_path, ""))
