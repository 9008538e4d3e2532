"""The README's lines do what it says when they are pasted."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.product import PROJECT, read
from tests.live_stack import RunningStack
from tests.services import without_product


def block_after(words: str) -> str:
    """The first shell block of the README after these words."""
    text = read("README.md").partition(words)[2]
    return text.partition("```sh\n")[2].partition("```")[0]


@pytest.fixture
def folder(live_stack: RunningStack, tmp_path: Path) -> Path:
    """A clone as the reader has it: the state in ./var, the programs in ./.venv."""
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
    parsed, recognised, embedded = answers
    assert [answer["state"] for answer in answers] == ["succeeded"] * 3
    assert "INVOICE 2026-0417" in parsed["result"]["text"]
    assert len(recognised["result"]["pages"]) == 3
    assert len(embedded["result"]["pages"][0]["embeddings"]) == 2


def test_websocket_line_connects(folder: Path) -> None:
    start = block_after("test_readme.py runs these lines").splitlines()[0]
    output = paste(f"{start}\n{block_after('Watch events over the websocket')}", folder)
    assert "Connected to ws://" in output


def test_tenant_line_prints_a_key(folder: Path, live_stack: RunningStack) -> None:
    line = re.search(r"`\.venv/bin/python (manage\.py tenant_create [^`]+)`", read("README.md"))
    assert line is not None
    program = f"cd {PROJECT} && MAAS_HOME={live_stack.home} {sys.executable} {line[1]}"
    assert json.loads(paste(program, folder))["api_key"].startswith("maas_live_")
