"""Test requests for which no thread of the worker waits."""

import threading
from collections.abc import Callable, Iterator, Sequence

import pytest

from inference.core.calls import Call
from inference.core.contracts import TextInput, WorkOutput, WorkRefused
from inference.rpc import LaneClient, LaneReader, LaneRequest
from tests.inference.rpc.conftest import TIMEOUT_S, Caller, Model, call_of, text, wait_in_lane
from tests.waiting import eventually


class Held:
    """A run that was begun, and that ends together with the others of its model."""

    def __init__(self, request: LaneRequest, ended: Callable[[Sequence[Call]], None]) -> None:
        self.request = request
        self.ended = ended
        self._once = threading.Lock()
        request.call.on_cancel(self.end)

    def end(self) -> None:
        if self.claim():
            self.ended([self.request.call])

    def claim(self) -> bool:
        return self._once.acquire(blocking=False)

    def result(self) -> WorkOutput:
        self.request.call.check()
        assert isinstance(self.request.work, TextInput)
        return WorkOutput({"begun": self.request.work.texts})


class Broken(Held):
    def result(self) -> WorkOutput:
        return WorkOutput(Unwritable())  # type: ignore[arg-type]


class Unwritable:
    def __getattribute__(self, name: str) -> object:
        raise MemoryError("nobody can write this")


class BeginningModel(Model):
    """A model that serves a request by a thread if it comes alone, and begins the others."""

    def __init__(self) -> None:
        super().__init__()
        self.held: list[Held] = []
        self.refuses = False
        self.needs_threads = False
        self.cannot_begin = False
        self.breaks = False
        self.answered_count = 0

    def begin(
        self, model_key: str, requests: Sequence[LaneRequest], ended: Callable[[Sequence[Call]], None]
    ) -> list[Held | Exception | None]:
        return [self._begin(request, ended) for request in requests]

    def answered(self, began_s: Sequence[tuple[str, float]]) -> None:
        self.answered_count += len(began_s)

    def _begin(self, request: LaneRequest, ended: Callable[[Sequence[Call]], None]) -> Held | Exception | None:
        if self.refuses:
            return WorkRefused("invalid_input", "not this one")
        if self.needs_threads or self.cannot_begin:
            return None
        held = Broken(request, ended) if self.breaks else Held(request, ended)
        self.held.append(held)
        return held

    def together(self, model_key: str) -> int:
        return 1 if self.needs_threads else 64

    def end_all(self) -> None:
        for held in self.held:
            held.end()

    def end_together(self) -> None:
        self.held[0].ended([held.request.call for held in self.held if held.claim()])


@pytest.fixture
def model() -> BeginningModel:
    return BeginningModel()


@pytest.fixture
def reader(url: str, model: BeginningModel, model_key: str) -> Iterator[LaneReader]:
    reader = LaneReader(url, model.serve, slots=2, begins=model)
    reader.set_lanes([model_key])
    reader.start()
    assert reader.reading.wait(TIMEOUT_S)
    yield reader
    model.gate.set()
    model.end_all()
    reader.stop(0.2)


@pytest.fixture
def busy(reader: LaneReader, client: LaneClient, model: BeginningModel, model_key: str) -> Caller:
    """Start a caller that a thread serves until the gate opens."""
    model.gate.clear()
    caller = Caller(client, model_key, "busy", call_of())
    eventually(lambda: model.asked, "a thread serves the first")
    return caller


def test_more_are_in_hand_than_threads_could_serve_and_all_are_answered(
    busy: Caller, client: LaneClient, model: BeginningModel, model_key: str
) -> None:
    callers = [Caller(client, model_key, f"{number}", call_of()) for number in range(20)]
    eventually(lambda: len(model.held) == 20, "all of them have begun")
    model.end_all()
    answers = [caller.done().answer for caller in callers]
    assert answers == [{"begun": [f"{number}"]} for number in range(20)]
    model.gate.set()
    assert busy.done().answer == {"texts": ["busy"]}


def test_what_cannot_begin_is_served_by_threads(
    busy: Caller, client: LaneClient, model: BeginningModel, model_key: str, url: str
) -> None:
    model.needs_threads = True
    callers = [Caller(client, model_key, f"{number}", call_of()) for number in range(4)]
    eventually(lambda: len(model.asked) == 2, "as many run as there are threads")
    wait_in_lane(url, model_key, 3)
    model.gate.set()
    assert [caller.done().answer for caller in callers] == [{"texts": [f"{number}"]} for number in range(4)]


def test_what_turns_out_not_to_begin_waits_where_other_workers_find_it(
    busy: Caller, client: LaneClient, model: BeginningModel, model_key: str, reader: LaneReader
) -> None:
    model.cannot_begin = True
    callers = [Caller(client, model_key, f"{number}", call_of()) for number in range(20)]
    eventually(lambda: len(model.asked) == 2, "as many run as there are threads")
    assert len(reader._hand.requests()) <= 4
    model.gate.set()
    assert [caller.done().answer for caller in callers] == [{"texts": [f"{number}"]} for number in range(20)]


def test_an_answer_that_cannot_be_made_loses_no_others(
    busy: Caller, client: LaneClient, model: BeginningModel, model_key: str, reader: LaneReader
) -> None:
    model.breaks = True
    broken = Caller(client, model_key, "broken", call_of())
    eventually(lambda: len(model.held) == 1, "it has begun")
    model.breaks = False
    sound = Caller(client, model_key, "sound", call_of())
    eventually(lambda: len(model.held) == 2, "the other one as well")
    model.end_all()
    assert sound.done().answer == {"begun": ["sound"]}
    assert broken.done().error is not None
    eventually(lambda: len(reader._hand.requests()) == 1, "nothing is left in hand")


def test_one_who_is_refused_is_told_at_once(
    busy: Caller, client: LaneClient, model: BeginningModel, model_key: str
) -> None:
    model.refuses = True
    with pytest.raises(WorkRefused, match="not this one"):
        client.call(model_key, text("x"), {}, call_of())


def test_one_who_leaves_ends_what_was_begun_for_him_alone(
    busy: Caller, client: LaneClient, model: BeginningModel, model_key: str, reader: LaneReader
) -> None:
    call = call_of()
    leaver = Caller(client, model_key, "leaves", call)
    stayer = Caller(client, model_key, "stays", call_of())
    eventually(lambda: len(model.held) == 2, "both have begun")
    (left,) = [held for held in model.held if held.request.work == text("leaves")]
    (request_id,) = [name for name, run in reader._hand._by_request.items() if run.call is left.request.call]
    call.cancel()
    reader.cancel(request_id)
    assert left.request.call.canceled
    leaver.done()
    model.end_all()
    assert stayer.done().answer == {"begun": ["stays"]}


def test_those_who_ask_the_same_share_what_was_begun(
    busy: Caller, client: LaneClient, model: BeginningModel, model_key: str, reader: LaneReader
) -> None:
    same = [Caller(client, model_key, "same", call_of(), coalesce="k") for _ in range(3)]
    eventually(lambda: len(reader._hand.requests()) == 4, "all are in hand")
    assert len(model.held) == 1
    model.end_all()
    assert [caller.done().answer for caller in same] == [{"begun": ["same"]}] * 3


def test_one_whose_time_is_over_holds_nothing_for_ever(
    busy: Caller, client: LaneClient, model: BeginningModel, model_key: str
) -> None:
    late = Caller(client, model_key, "late", call_of(within_s=3.0))
    eventually(lambda: model.held, "it has begun")
    assert late.done().error is not None
    eventually(lambda: model.held[0].request.call.canceled, "what was begun for it is left")
