"""Test how long jobs are waited for, without a server and without sleeping, on a simulated clock."""

import json
import math
from typing import Any

import pytest

from maas_client import ConnectionFailed, MaasError, WaitTimedOut
from maas_client.calls import LONGEST_OUTAGE_S, Calls
from maas_client.exchange import Flow, Lost, Pause, Reply, Request
from maas_client.retries import Retries

JOB: dict[str, Any] = {
    "id": "j",
    "state": "running",
    "model": "parse@1",
    "document": None,
    "parameters": {},
    "pages_total": 2,
    "pages_done": 1,
    "pages_succeeded": 1,
    "pages_failed": 0,
    "error": None,
    "cost": {"amount": "0", "amount_micros": 0, "currency": "EUR"},
    "retry_of": None,
    "last_seq": 3,
    "created_at": "2026-11-20T11:06:25Z",
    "started_at": None,
    "finished_at": None,
}
RESULT = {"text": "", "pages": []}


class Played:
    """A simulation that runs a flow with a service that holds each answer for as long as it is asked to, unless set
    otherwise.

    The service is unavailable between the two times of `away`.
    """

    def __init__(
        self,
        ends_at_s: float,
        holds: bool = True,
        retry_after: str = "5",
        away: tuple[float, float] = (math.inf, math.inf),
        most: int = 3,
    ) -> None:
        self.now_s = 0.0
        self.asked: list[str] = []
        self.paused: list[float] = []
        self._ends_at_s = ends_at_s
        self._holds = holds
        self._retry_after = retry_after
        self._away_from_s, self._back_at_s = away
        self.worries: list[MaasError] = []
        self.keys: list[str] = []
        self.calls = Calls(Retries(most), worry=self.worries.append, clock=lambda: self.now_s, jitter=lambda: 1.0)

    def play(self, flow: Flow[Any]) -> Any:
        outcome: Reply | Lost | None = None
        while True:
            try:
                step = flow.send(outcome)
            except StopIteration as end:
                return end.value
            outcome = self._answer(step) if isinstance(step, Request) else self._paused(step)

    def _paused(self, pause: Pause) -> Reply | None:
        self.paused.append(pause.seconds)
        self.now_s += pause.seconds
        return None

    def _answer(self, request: Request) -> Reply | Lost:
        if request.method == "POST":
            self.keys.append(request.headers["Idempotency-Key"])
        else:
            self.asked.append(request.headers["Prefer"])
            assert request.held_s == float(request.headers["Prefer"].removeprefix("wait="))
        until_s = min(self.now_s + request.held_s, max(self.now_s, self._ends_at_s))
        if self._away_from_s <= until_s and self.now_s < self._back_at_s:
            self.now_s = max(self.now_s, self._away_from_s)
            return Lost("it was killed", unsent=False)
        if self._holds:
            self.now_s = until_s
        ended = self.now_s >= self._ends_at_s
        body = {**JOB, "state": "succeeded", "result": RESULT} if ended else JOB
        return Reply(200, {"retry-after": self._retry_after}, json.dumps(body).encode())


def test_a_long_job_is_waited_for_in_rounds_without_pauses() -> None:
    played = Played(ends_at_s=130)
    assert played.play(played.calls.wait("j", None, None)).state == "succeeded"
    assert played.asked == ["wait=60"] * 3
    assert played.paused == []
    assert played.now_s == 130


def test_answers_that_come_at_once_are_not_asked_for_faster_than_the_service_wants() -> None:
    played = Played(ends_at_s=12, holds=False)
    played.play(played.calls.wait("j", None, None))
    assert played.paused == [5, 5, 5]


def test_the_last_round_is_no_longer_than_what_is_left() -> None:
    played = Played(ends_at_s=1000)
    with pytest.raises(WaitTimedOut, match=r"still running \(1 of 2 pages\) after 100 s") as timed_out:
        played.play(played.calls.wait("j", 100, None))
    assert played.asked == ["wait=60", "wait=40"]
    assert timed_out.value.job.id == "j"


def test_whoever_wants_to_be_told_is_told_every_two_seconds() -> None:
    played = Played(ends_at_s=5, retry_after="0")
    told: list[str] = []
    played.play(played.calls.wait("j", None, lambda job: told.append(job.state)))
    assert told == ["running", "running", "succeeded"]


def test_an_outage_is_sat_through_for_as_long_as_is_waited() -> None:
    played = Played(ends_at_s=130, away=(30, 90))
    assert played.play(played.calls.wait("j", 600, None)).state == "succeeded"
    assert len(played.worries) == 1
    assert 90 <= played.now_s <= 140


def test_after_an_outage_the_answer_is_asked_for_at_once_and_then_held_again() -> None:
    played = Played(ends_at_s=200, away=(30, 40))
    played.play(played.calls.wait("j", 600, None))
    asked = [round_ for round_ in played.asked if round_ != "wait=0"]
    assert asked[0] == "wait=60"
    assert asked[1:] == ["wait=60"] * (len(asked) - 1)
    assert played.asked[1] == "wait=0"


def test_a_wait_that_is_spent_in_an_outage_says_which_job_goes_on() -> None:
    played = Played(ends_at_s=math.inf, away=(30, math.inf))
    with pytest.raises(ConnectionFailed, match=r"Job j goes on") as failed:
        played.play(played.calls.wait("j", 100, None))
    assert failed.value.job_id == "j"
    assert 100 <= played.now_s < 110


def test_a_service_that_is_gone_is_not_waited_for_for_ever() -> None:
    played = Played(ends_at_s=math.inf, away=(0, math.inf))
    with pytest.raises(ConnectionFailed):
        played.play(played.calls.wait("j", None, None))
    assert LONGEST_OUTAGE_S <= played.now_s < LONGEST_OUTAGE_S + 10


def test_a_submission_outlives_a_restart_under_one_key() -> None:
    played = Played(ends_at_s=40, away=(0, 25))
    result = played.play(played.calls.run("parse", b"file", {}, 600))
    assert result.state == "succeeded"
    assert len(set(played.keys)) == 1 < len(played.keys)


def test_whoever_wants_no_retries_hears_of_an_outage_at_once() -> None:
    played = Played(ends_at_s=40, away=(0, 25), most=0)
    with pytest.raises(ConnectionFailed):
        played.play(played.calls.wait("j", None, None))
    assert (played.now_s, played.worries) == (0, [])
