"""Test what is made of a socket's messages, without a socket."""

import json

import pytest
from websockets.exceptions import ConnectionClosedError
from websockets.frames import Close

from maas_client import AuthenticationError, ConnectionFailed, InvalidRequest, NotFound
from maas_client.tails import Tail

CUT = ConnectionClosedError(Close(1012, ""), None)


def event(cursor: str | int, type_: str = "page.running") -> str:
    body = {"job": "j", "seq": 1, "type": type_, "data": {}, "created_at": "2026-11-20T11:06:25Z"}
    return json.dumps({"type": "event", "cursor": cursor, "event": body})


def ready(cursor: str = "10-1") -> str:
    return json.dumps({"type": "ready", "cursor": cursor})


SUBSCRIBED = json.dumps({"type": "subscribed", "subscribe": "all", "cursor": "10-1"})


def test_from_now_on_nothing_is_said_and_after_a_cut_the_last_cursor_is() -> None:
    tail = Tail(None, None, 3)
    assert tail.opening() is None
    tail.take(ready("10-1"))
    assert tail.take(event("10-2")) is not None
    tail.cut(CUT, 0.0)
    assert json.loads(tail.opening() or "") == {"subscribe": "all", "after": "10-2"}


def test_a_cut_before_the_first_event_goes_on_where_the_first_socket_began() -> None:
    tail = Tail(None, None, 3)
    tail.take(ready("10-1"))
    tail.cut(CUT, 0.0)
    assert tail.take(ready("99-9")) is None
    assert json.loads(tail.opening() or "")["after"] == "10-1"


def test_what_comes_before_the_answer_and_what_came_before_are_left_out() -> None:
    tail = Tail(None, "10-5", 3)
    assert tail.take(ready("12-1")) is None
    assert tail.take(event("12-2")) is None
    tail.take(SUBSCRIBED)
    taken = [tail.take(event(cursor)) for cursor in ("9-99", "10-5", "10-12", "12-2")]
    assert [one.cursor for one in taken if one] == ["10-12", "12-2"]


def test_a_job_is_over_with_its_last_event() -> None:
    tail = Tail("j", None, 3)
    assert json.loads(tail.opening() or "") == {"subscribe": "j", "after": 0}
    tail.take(SUBSCRIBED)
    tail.take(event(1, "page.succeeded"))
    assert not tail.over
    tail.take(event(2, "job.succeeded"))
    assert tail.over


def test_it_is_given_up_after_so_many_cuts_without_an_event_between() -> None:
    tail = Tail("j", 0, 2)
    for seq in (1, 2, 3):
        tail.cut(CUT, 0.0)
        tail.take(SUBSCRIBED)
        assert tail.take(event(seq))
    tail.cut(CUT, 0.0)
    tail.cut(CUT, 0.0)
    with pytest.raises(ConnectionFailed):
        tail.cut(CUT, 0.0)


@pytest.mark.parametrize(
    ("code", "kind"),
    [("not_found", NotFound), ("not_authenticated", AuthenticationError), ("invalid_cursor", InvalidRequest)],
)
def test_what_the_service_refuses_is_raised(code: str, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        Tail(None, None, 3).take(json.dumps({"type": "error", "code": code, "detail": "No."}))


def test_a_revoked_key_is_not_tried_again() -> None:
    with pytest.raises(AuthenticationError):
        Tail(None, None, 3).cut(ConnectionClosedError(Close(4401, ""), None), 0.0)
