"""Tests of one thread that does a task for all. No thread waits, and no request for the task is lost."""

import threading

import pytest

from jobs.queue.one_at_a_time import ROUNDS, Apart, OneAtATime


def test_who_comes_meanwhile_goes_on_at_once_and_is_served_by_one_more_round() -> None:
    one, rounds = OneAtATime(), list[int]()
    busy, may_go_on = threading.Event(), threading.Event()

    def do() -> None:
        rounds.append(len(rounds))
        busy.set()
        assert may_go_on.wait(10)

    thread = threading.Thread(target=one.run, args=("a", do))
    thread.start()
    assert busy.wait(10)
    for _ in range(5):
        one.run("a", lambda: pytest.fail("two at once"))
    may_go_on.set()
    thread.join()
    assert rounds == [0, 1]


def test_what_was_done_can_be_done_again() -> None:
    one, rounds = OneAtATime(), []
    for _ in range(3):
        one.run("a", lambda: rounds.append(1))
    assert len(rounds) == 3


def test_another_thing_is_not_held_up() -> None:
    one, done = OneAtATime(), []
    one.run("a", lambda: one.run("b", lambda: done.append("b")))
    assert done == ["b"]


def test_nobody_does_it_for_others_for_ever() -> None:
    one, rounds = OneAtATime(), []

    def do() -> None:
        rounds.append(1)
        one.run("a", do)

    one.run("a", do)
    assert len(rounds) == ROUNDS
    one.run("a", lambda: rounds.append(1))
    assert len(rounds) == ROUNDS + 1


def test_apart_nobody_waits_and_what_comes_meanwhile_is_done_once_more() -> None:
    apart, rounds = Apart("test", 1), list[int]()
    busy, may_go_on, done = threading.Event(), threading.Event(), threading.Event()

    def do() -> None:
        rounds.append(len(rounds))
        busy.set()
        assert may_go_on.wait(10)

    apart.run("a", do)
    assert busy.wait(10)
    for _ in range(5):
        apart.run("a", do)
    apart.run("b", done.set)
    may_go_on.set()
    assert done.wait(10)
    assert rounds == [0, 1]
    apart.close()


def test_once_closed_what_comes_is_left_to_others() -> None:
    apart = Apart("test", 1)
    apart.close()
    apart.run("a", lambda: pytest.fail("done all the same"))


def test_a_failure_leaves_the_way_open() -> None:
    one, rounds = OneAtATime(), []

    def fail() -> None:
        raise RuntimeError("away")

    with pytest.raises(RuntimeError):
        one.run("a", fail)
    one.run("a", lambda: rounds.append(1))
    assert rounds == [1]
