from inference.gateway.server_timing import Timings, server_timing, timing_at_once
from inference.rpc.answers import SpentMs


def test_the_header_names_every_part_in_milliseconds() -> None:
    spent = SpentMs(load=1.0, batch=2.0, infer=16.0)
    name, value = server_timing(Timings(queue=1.234, run=20.0, total=25.5, spent=spent))
    assert name == b"server-timing"
    said = dict(part.split(b";dur=") for part in value.split(b", "))
    assert said == {
        b"queue": b"1.23",
        b"load": b"1.00",
        b"batch": b"2.00",
        b"infer": b"16.00",
        b"post": b"5.27",
        b"total": b"25.50",
    }


def test_clocks_that_disagree_give_no_negative_time() -> None:
    assert Timings(queue=5.0, run=20.0, total=24.0, spent=SpentMs(infer=20.0)).post == 0.0


def test_what_no_worker_was_asked_for_is_told_in_the_same_words() -> None:
    assert timing_at_once(1.256) == server_timing(Timings(queue=0.0, run=0.0, total=1.256))
