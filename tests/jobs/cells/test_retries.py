"""Test when a file whose content was false is fetched again."""

from jobs.cells.retries import MAX_WAIT_S, FalseFiles


def test_the_wait_doubles_up_to_an_hour_and_ends_with_a_good_file() -> None:
    files, now_s = FalseFiles(), 1000.0
    waits = []
    for _ in range(9):
        files.add("a", "It is false.", now_s)
        wait_s = next(wait_s for wait_s in range(1, 10_000) if not files.refusal("a", now_s + wait_s))
        waits.append(wait_s)
        now_s += wait_s
    assert waits[:4] == [60, 120, 240, 480]
    assert waits[-1] == MAX_WAIT_S
    assert files.refusal("b", now_s) == ""
    files.add("a", "It is false.", now_s)
    assert files.refusal("a", now_s) == "It is false. It is fetched again in 60 min."
    files.remove("a")
    assert files.refusal("a", now_s) == ""
