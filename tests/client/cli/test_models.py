"""Test `maas models` with a server that gives prepared answers."""

import sys
from pathlib import Path

import pytest

from tests.client.exports.test_mlflow_models import DIRECTORIES
from tests.client.stand_in import Answer, StandIn
from tests.client.test_models import REFUSED, TASK, VERSION, form_of, ready

from .conftest import Said, Shell

MOVED = Answer.of(200, {"alias": "champion", "version": 2, "previous": 1, "moved_at": "2026-11-20T11:06:25Z"})
SIGNATURE = {
    "inputs": [{"name": "x", "datatype": "FP32", "shape": [-1, 4]}],
    "outputs": [{"name": "y", "datatype": "INT64", "shape": [-1]}],
}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maas_client.model_calls.MIN_PAUSE_S", 0.01)


def said(folder: Path, server: StandIn, *arguments: str) -> Said:
    (folder / "m.onnx").write_bytes(b"onnx")
    return Shell(folder, {"MAAS_URL": server.url, "MAAS_API_KEY": "k"})("models", *arguments)


PUSH = ("push", "m.onnx", "--name", "scores", "--license", "MIT")


def test_a_push_shows_the_check_and_prints_the_version(tmp_path: Path) -> None:
    with StandIn(Answer.of(202, VERSION), Answer.of(200, VERSION), ready(signature=SIGNATURE), MOVED) as server:
        done = said(tmp_path, server, *PUSH, "--alias", "champion", "--label", "team=risk", "--description", "Scores")
    assert (done.code, done.out) == (0, "scores@2\n")
    assert done.err.splitlines() == [
        "scores@2: trial run, 1 of 3",
        "scores@2 is ready: inputs x FP32 [-1, 4]; outputs y INT64 [-1]",
        "scores@champion is version 2",
    ]
    assert form_of(server.asked[0].headers, server.asked[0].body)["labels"] == '{"team": "risk"}'


def test_a_url_is_pushed_without_a_file(tmp_path: Path) -> None:
    url = "https://example.com/scores.onnx"
    with StandIn(Answer.of(202, VERSION), ready()) as server:
        done = said(tmp_path, server, "push", url, "--name", "scores", "--license", "MIT")
    assert (done.code, done.out) == (0, "scores@2\n")
    assert form_of(server.asked[0].headers, server.asked[0].body)["url"] == url


def test_a_refused_push_ends_with_1_and_the_reason(tmp_path: Path) -> None:
    with StandIn(Answer.of(202, VERSION), Answer.of(200, REFUSED)) as server:
        done = said(tmp_path, server, *PUSH, "--alias", "champion")
    assert (done.code, done.out) == (1, "")
    assert done.err.endswith("Node: n7. Use standard ONNX operators. (operator_not_allowed)\n")
    assert [one.method for one in server.asked] == ["POST", "GET"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("push", "m.onnx", "--name", "scores"), "--license"),
        (("push", "none.onnx", "--name", "s", "--license", "MIT"), "there is no file 'none.onnx'"),
        ((*PUSH, "--alias", "a", "--no-wait"), "does not go with --no-wait"),
        ((*PUSH, "--label", "risk"), "'risk' is not of the form name=value"),
        (("optimize", "scores"), "'scores' is no version of a model, such as scores@3"),
        (("alias", "scores", "champion", "--delete", "--if-version", "1"), "--delete takes a model and an alias"),
        (("export-torch", "m:f", "--input", "x", "--name", "s", "--license", "MIT"), "is not installed"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_sent(tmp_path: Path, arguments: tuple[str, ...], why: str) -> None:
    with StandIn(Answer.of(500, {})) as server:
        done = said(tmp_path, server, *arguments)
        assert (done.code, done.out, server.asked) == (2, "", [])
    assert why in done.err


def test_a_missing_extra_names_the_command_that_installs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "joblib", None)
    with StandIn(Answer.of(500, {})) as server:
        done = said(tmp_path, server, "export-sklearn", "m.onnx", "--name", "s", "--license", "MIT")
        url = f"{server.url}/client.zip"
    assert done.code == 2
    assert "a pickle runs the code in it when it is loaded" in done.err
    assert done.err.endswith(
        f'maas: The package joblib is not installed. Run: pip install "maas-client[sklearn] @ {url}"\n'
    )


def test_a_directory_of_mlflow_is_pushed_with_what_it_says(tmp_path: Path) -> None:
    source = str(DIRECTORIES / "mlflow-2")
    with StandIn(Answer.of(202, VERSION), ready()) as server:
        unnamed = said(tmp_path, server, "import-mlflow", source)
        named = said(tmp_path, server, "import-mlflow", source, "--name", "scores", "--license", "MIT")
    assert (unnamed.code, named.code, named.out) == (2, 0, "scores@2\n")
    assert "give --name, because the source does not say it" in unnamed.err
    assert b'{"source": "mlflow", "mlflow.logged_with": "2.22.5"}' in server.asked[0].body


def test_an_alias_is_moved_rolled_back_listed_and_deleted(tmp_path: Path) -> None:
    past = Answer.of(200, {"data": [{"alias": "champion", "version": None, "moved_by": "anna@example.com"}]})
    with StandIn(MOVED, MOVED, past, Answer(204, b"")) as server:
        moved = said(tmp_path, server, "alias", "scores", "champion", "2", "--if-version", "1")
        rolled = said(tmp_path, server, "rollback", "scores", "champion")
        listed = said(tmp_path, server, "history", "scores", "champion")
        deleted = said(tmp_path, server, "alias", "scores", "champion", "--delete")
    assert moved.out == rolled.out == "scores@champion is version 2, before it was version 1.\n"
    assert listed.out.splitlines()[1].split() == ["-", "-", "-", "anna@example.com"]
    assert deleted.out == "scores@champion is deleted.\n"
    assert [(one.method, one.path.removeprefix("/v1/models/scores/aliases/")) for one in server.asked] == [
        ("PUT", "champion"),
        ("POST", "champion/rollback"),
        ("GET", "champion/history"),
        ("DELETE", "champion"),
    ]


def test_a_version_is_shown_with_its_card(tmp_path: Path) -> None:
    with StandIn(ready(signature=SIGNATURE, card="# Card", aliases=["current"])) as server:
        done = said(tmp_path, server, "show", "scores@2")
    assert "input       x FP32 [-1, 4]\n" in done.out
    assert "label team  risk\n" in done.out
    assert done.out.endswith("\n# Card\n")


def test_optimizing_follows_the_task_and_lists_the_variants(tmp_path: Path) -> None:
    reason = {"code": "cosine_mean", "detail": "cosine_mean is 0.5, and must be at least 0.99"}
    report = {
        "verdict": {"admitted": False, "reasons": [reason]},
        "measured": {"measures": [{"name": "cosine_mean", "value": 0.5}]},
        "source": {"alone_p50_ms": 3.0},
        "variant": {"alone_p50_ms": 1.5},
    }
    variant = {"id": "v1", "precision": "int8", "transformation": "int8_dynamic", "state": "refused", "bytes": 17}
    variant |= {"used_as": None, "report": report}
    outcome = {"transformation": "fuse", "state": "not made", "reason": "nothing_to_fuse: no attention"}
    result = {"transformations": [{"transformation": "int8_dynamic", "state": "refused", "variant": "v1"}, outcome]}
    ended = Answer.of(200, {**TASK, "state": "succeeded", "result": result})
    answers = [Answer.of(202, TASK), Answer.of(200, TASK), ended]
    with StandIn(*answers, Answer.of(200, {"data": [variant]})) as server:
        done = said(tmp_path, server, "optimize", "scores@2", "--bound", "cosine_mean=0.99")
    assert done.code == 0
    found = ["v1", "int8", "int8_dynamic", "refused", "2.00x", "17", "cosine_mean=0.5", "cosine_mean", "is", "0.5,"]
    assert done.out.splitlines()[1].split()[:10] == found
    assert "fuse: not made: nothing_to_fuse: no attention\n" in done.err
    assert server.asked[0].body == b'{"bounds":{"cosine_mean":0.99}}'
