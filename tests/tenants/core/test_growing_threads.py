"""Tests of the pool of threads that grows with the work."""

import threading

from tenants.core.growing_threads import GrowingThreads
from tests.waiting import eventually


def test_work_one_after_another_shares_a_thread() -> None:
    threads, seen = GrowingThreads("test", idle_s=5), []
    for _ in range(5):
        done = threading.Event()

        def work(done: threading.Event = done) -> None:
            seen.append(threading.current_thread())
            done.set()

        threads.run(work)
        assert done.wait(20)
        eventually(lambda: threads.idle, "the thread to be idle again")
    assert len(set(seen)) == 1


def test_thread_without_work_ends_and_another_takes_over() -> None:
    threads = GrowingThreads("test", idle_s=0.01)

    def thread_of_some_work() -> threading.Thread:
        seen: list[threading.Thread] = []
        threads.run(lambda: seen.append(threading.current_thread()))
        eventually(lambda: seen, "the work")
        eventually(lambda: not seen[0].is_alive(), "the end of its thread")
        return seen[0]

    assert thread_of_some_work() is not thread_of_some_work()
