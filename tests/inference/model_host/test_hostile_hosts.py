"""Test hosts that a model has taken over: whatever they say or try, they reach nothing and cost one error each."""

import ast
import socket
import time

import numpy as np
import pytest

from inference.core.calls import RunControl
from inference.core.errors import CallCanceled, ModelFailed
from inference.model_host import HostDied, ModelHosts, ModelPaused

from .conftest import OpenFake

X = {"x": np.array([1.0, 2.0], np.float32)}


def test_a_host_gets_nowhere(open_fake: OpenFake) -> None:
    escapes = ast.literal_eval(open_fake("normal").metadata["escapes"])
    assert escapes == dict.fromkeys(escapes, "refused")
    assert len(escapes) == 12


def test_a_host_that_behaves_answers(open_fake: OpenFake) -> None:
    session = open_fake("normal")
    assert [session.run(X)[0].tolist() for _ in range(3)] == [[2.0, 4.0]] * 3


@pytest.mark.parametrize(
    "behavior",
    [
        "garbage",
        "an empty message",
        "a long message",
        "no object",
        "a number of a thousand digits",
        "an unknown error",
        "a shape below zero",
        "a shape beyond the size",
        "an immense shape",
        "more than was written",
        "more than is allowed",
        "an unknown type",
        "strings beyond their bytes",
        "a hundred dimensions",
        "no list",
        "leaves",
        "aborts",
    ],
)
def test_an_invalid_answer_costs_an_error_and_the_host(behavior: str, open_fake: OpenFake) -> None:
    session, other = open_fake(behavior), open_fake("normal")
    for _ in range(2):
        with pytest.raises(HostDied) as died:
            session.run(X)
        assert died.value.code == "model_crashed"
        assert not died.value.retryable
        assert other.run(X)[0].tolist() == [2.0, 4.0]


@pytest.mark.parametrize("behavior", ["dies in the load", "declares nonsense", "declares a thousand outputs"])
def test_a_load_that_ends_the_host_is_an_error(behavior: str, open_fake: OpenFake) -> None:
    with pytest.raises(HostDied, match="process of the model"):
        open_fake(behavior)


def test_an_answer_that_comes_too_early_answers_no_later_run(open_fake: OpenFake) -> None:
    session = open_fake("answers twice")
    assert session.run(X)[0].tolist() == [2.0, 4.0]
    assert session._process is not None
    session._process._fork.limit_waits(10)
    session._process._fork.packets.socket.recv(1, socket.MSG_PEEK)
    assert session.run({"x": np.array([5.0], np.float32)})[0].tolist() == [10.0]


def test_a_hang_is_ended_at_the_limit(open_fake: OpenFake) -> None:
    session = open_fake("sleeps")
    started_s = time.monotonic()
    with pytest.raises(HostDied, match="longer than 1 s") as died:
        session.run(X, control=RunControl())
    assert died.value.code == "model_timeout"
    assert time.monotonic() - started_s < 3


def test_a_run_that_nobody_wants_is_ended(open_fake: OpenFake) -> None:
    session, control = open_fake("sleeps"), RunControl()
    control.end()
    started_s = time.monotonic()
    with pytest.raises(CallCanceled):
        session.run(X, control=control)
    assert time.monotonic() - started_s < 0.9


def test_a_short_run_that_nobody_wants_keeps_its_host(open_fake: OpenFake) -> None:
    session, control = open_fake("sleeps a little"), RunControl()
    loads_s = session.load_s
    control.end()
    session.run(X, control=control)
    session.run(X)
    assert session.load_s == loads_s


def test_three_deaths_in_a_row_pause_the_model(open_fake: OpenFake, fake_hosts: ModelHosts) -> None:
    session = open_fake("leaves")
    paused: list[tuple[str, str, str]] = []
    fake_hosts.on_paused(lambda path, name, reason: paused.append((path, name, reason)))
    for _ in range(3):
        with pytest.raises(HostDied):
            session.run(X, control=RunControl())
    with pytest.raises(ModelPaused, match=r"several times in a row.*status 3") as refusal:
        session.run(X, control=RunControl())
    assert refusal.value.code == "model_paused_after_crashes"
    ((path, name, reason),) = paused
    assert (path, name) == (str(session.path), "leaves")
    assert "ended with the status 3" in reason
    fake_hosts.resume(path)
    with pytest.raises(HostDied):
        session.run(X, control=RunControl())


def test_a_success_begins_the_count_anew(open_fake: OpenFake) -> None:
    session = open_fake("dies at 13")
    for _ in range(4):
        with pytest.raises(HostDied):
            session.run({"x": np.array([13.0], np.float32)}, control=RunControl())
        assert session.run(X, control=RunControl())[0].tolist() == [2.0, 4.0]


def test_trials_and_the_runs_of_several_callers_pause_nothing(open_fake: OpenFake) -> None:
    session = open_fake("leaves")
    for control in (None, RunControl(pieces=2)):
        for _ in range(4):
            with pytest.raises(HostDied):
                session.run(X, control=control)


def test_a_closed_session_has_no_process_and_refuses(open_fake: OpenFake) -> None:
    session = open_fake("normal")
    session.close()
    with pytest.raises(ModelFailed, match="left memory"):
        session.run(X)
