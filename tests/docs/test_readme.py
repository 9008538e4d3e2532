"""Tests that the README's commands do what it says when they are pasted, and that its tables are correct."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.product import PROJECT, first_column, read, settings_read, table_rows
from tests.docs.test_settings import literal_defaults
from tests.live_stack import RunningStack
from tests.services import without_product


def block_after(words: str) -> str:
    """Return the first shell block of the README after this text."""
    text = read("README.md").partition(words)[2]
    return text.partition("```sh\n")[2].partition("```")[0]


@pytest.fixture
def folder(live_stack: RunningStack, tmp_path: Path) -> Path:
    """Make a clone as the reader has it, with the state in ./var and the programs in ./.venv."""
    (tmp_path / "var").symlink_to(live_stack.home)
    (tmp_path / ".venv").symlink_to(sys.prefix)
    return tmp_path


def paste(lines: str, folder: Path) -> str:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", lines],
        cwd=folder,
        env=without_product(os.environ),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_five_curl_lines_read_a_scan_and_embed_texts(folder: Path) -> None:
    lines = block_after("test_readme.py runs these lines")
    assert len(re.findall(r"\bcurl -s ", lines)) == 5
    decoder, output, answers = json.JSONDecoder(), paste(lines, folder), []
    while output:
        answer, end = decoder.raw_decode(output)
        answers.append(answer)
        output = output[end:].lstrip()
    parsed, recognized, embedded = answers
    assert [answer["state"] for answer in (parsed, recognized)] == ["succeeded"] * 2
    assert "INVOICE 2026-0417" in parsed["result"]["text"]
    assert len(recognized["result"]["pages"]) == 3
    assert [len(one["embedding"]) for one in embedded["data"]] == [384, 384]


def test_websocket_line_connects(folder: Path) -> None:
    start = block_after("test_readme.py runs these lines").splitlines()[0]
    output = paste(f"{start}\n{block_after('watch events over the websocket')}", folder)
    assert "Connected to ws://" in output


def test_tenant_line_prints_a_key(folder: Path, live_stack: RunningStack) -> None:
    line = re.search(r"`\.venv/bin/python (manage\.py tenant_create [^`]+)`", read("README.md"))
    assert line is not None
    program = f"cd {PROJECT} && MAAS_HOME={live_stack.home} {sys.executable} {line[1]}"
    assert json.loads(paste(program, folder))["api_key"].startswith("maas_live_")


def top_level_folders() -> set[str]:
    """Return the folders that are part of the product: those that git tracks."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=PROJECT, capture_output=True, text=True, check=True)
    return {path.partition("/")[0] for path in listed.stdout.split("\0") if "/" in path}


def test_map_names_every_folder_and_no_other() -> None:
    named = [name.removesuffix("/") for name in first_column("README.md") if name.endswith("/")]
    assert sorted(named) == sorted(top_level_folders())


def test_variables_exist_and_their_defaults_are_those_of_the_code() -> None:
    rows = {name: cells for name, cells in table_rows("README.md").items() if name.startswith("MAAS_")}
    assert rows.keys() <= settings_read()
    known = literal_defaults() | {"MAAS_HOME": "var"}
    for name, (default, _) in rows.items():
        assert not default.startswith("`") or default == f"`{known[name]}`", name
        assert default.startswith("`") or name not in known, name


def test_screenshot_is_shown_once_it_is_there() -> None:
    shown = "\n![" in read("README.md")
    assert shown == (PROJECT / "docs/images/job.png").exists()
