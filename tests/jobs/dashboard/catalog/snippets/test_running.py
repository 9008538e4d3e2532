"""Run the code that the model page shows, unchanged, against the whole product. Each language gives the same output."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from jobs.dashboard.catalog.snippets.call import Call
from jobs.dashboard.catalog.snippets.languages import snippets_of
from maas.local.demo.sample import draw_page
from tests.kept_cluster import PROJECT
from tests.live_stack import RunningStack

HOSTILE = 'it\'s "$HOME" `id` $(id) \\ \\n ! # %s {x} \u202e é 😀 </script>'
HOSTILE_NAME = 'it\'s; "$HOME" `id`, \\ é.txt'
CALLS = (
    Call("ocr", "text", file_name="scan.jpg", parameters={"min_confidence": 0.6}),
    Call("parse", "text", file_name=HOSTILE_NAME, parameters={"include_embedding": False}, priority="bulk"),
    Call("parse", "text", input=f"{HOSTILE}\nsecond line", priority="interactive"),
    Call("embed", "embedding", input=HOSTILE),
    Call("embed", "embeddings", input=["one", HOSTILE, "three\nlines\n"]),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with scans, like that of a user."""
    folder = tmp_path_factory.mktemp("scans")
    draw_page(1).save(folder / "scan.jpg", "JPEG")
    (folder / HOSTILE_NAME).write_text("INVOICE 2026")
    return folder


def said_by(language: str, code: str, folder: Path, key: str | None = None) -> str:
    programs = {
        "curl": ("bash", "run.sh"),
        "python": (sys.executable, "run.py"),
        "javascript": ("node", "run.mjs"),
    }
    program, name = programs[language]
    (folder / name).write_text(code)
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(PROJECT / "client")}
    env |= {"MAAS_API_KEY": key} if key else {}
    done = subprocess.run(
        [program, name], cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def what_curl_shows(answer: str, shows: str) -> str:
    result = json.loads(answer)["result"]
    return str(result["text"]) if shows == "text" else json.dumps(result["pages"][0][shows])


@pytest.mark.parametrize(
    "call",
    [pytest.param(CALLS[0], marks=pytest.mark.long), *CALLS[1:]],
    ids=["ocr", "parse-file", "parse-text", "embed-text", "embed-texts"],
)
def test_all_languages_give_the_same_answer(call: Call, folder: Path, live_stack: RunningStack) -> None:
    snippets = {snippet.language: snippet.code for snippet in snippets_of(call, live_stack.url)}
    if shutil.which("node") is None:
        del snippets["javascript"]
    key = live_stack.demo["MAAS_API_KEY"]
    said = {language: said_by(language, code, folder, key) for language, code in snippets.items()}
    expected = what_curl_shows(said.pop("curl"), call.shows)
    for language, answer in said.items():
        if call.shows == "text":
            assert answer == f"{expected}\n", language
        else:
            np.testing.assert_allclose(json.loads(answer), json.loads(expected), atol=1e-4, err_msg=language)
    if call.model == "parse" and not call.file_name:
        assert expected == call.input
    if call.file_name:
        assert "INVOICE" in expected
