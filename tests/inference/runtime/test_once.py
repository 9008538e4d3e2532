import threading
from collections.abc import Iterator

import pytest

from inference.runtime.once import OncePerKey


def test_value_is_made_once_for_all_threads() -> None:
    made: list[str] = []
    start = threading.Barrier(8)

    def make(key: str) -> object:
        made.append(key)
        return object()

    once: OncePerKey[object] = OncePerKey(make)
    values: list[object] = []

    def ask() -> None:
        start.wait()
        values.append(once.get("a"))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == ["a"]
    assert len(set(map(id, values))) == 1


def test_only_the_values_used_last_are_kept() -> None:
    made: list[str] = []

    def make(key: str) -> str:
        made.append(key)
        return key

    once = OncePerKey(make, capacity=2)
    for key in ("a", "b", "a", "c", "a", "b"):
        once.get(key)
    assert made == ["a", "b", "c", "b"]


def test_failure_is_not_kept() -> None:
    answers: Iterator[str | Exception] = iter([ValueError("first"), "second"])

    def make(key: str) -> str:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    once = OncePerKey(make)
    with pytest.raises(ValueError, match="first"):
        once.get("a")
    assert once.get("a") == "second"
