from hypothesis import given
from hypothesis import strategies as st

from inference.batching.waiting import SLACK, QueuedPiece, WaitingPieces


def piece(length: int = 1, tenant: str = "a", deadline_s: float | None = None, group: object = None) -> QueuedPiece:
    return QueuedPiece(tenant=tenant, group=group, length=length, rows=1, queued_s=0.0, deadline_s=deadline_s)


@given(
    steps=st.lists(
        st.tuples(st.booleans(), st.integers(1, 6), st.sampled_from("ab"), st.floats(1, 9) | st.none()),
        max_size=120,
    )
)
def test_it_always_knows_its_first_its_next_deadline_and_its_neighbors(
    steps: list[tuple[bool, int, str, float | None]],
) -> None:
    waiting, here = WaitingPieces(), list[QueuedPiece]()
    for comes, length, tenant, deadline_s in steps:
        if comes or not here:
            here.append(piece(length, tenant, deadline_s, group=tenant if length > 3 else None))
            waiting.add(here[-1], float(length))
        else:
            waiting.remove(here.pop(length % len(here)), run=length % 2 == 0)
        assert len(waiting) == waiting.rows == len(here)
        assert set(map(id, waiting)) == set(map(id, here))
        first = waiting.first()
        assert first is min(here, key=lambda one: one.place, default=None)
        deadlines = [one.deadline_s for one in here if one.deadline_s is not None]
        next_late = waiting.first_deadline()
        assert (next_late.deadline_s if next_late else None) == min(deadlines, default=None)
        if first is not None:
            alike = [one for one in here if one.group == first.group]
            assert list(waiting.up_to_length(first)) == sorted(
                (one for one in alike if one.length <= first.length), key=lambda one: (-one.length, one.place)
            )
            assert list(waiting.beyond_length(first)) == sorted(
                (one for one in alike if one.length > first.length), key=lambda one: (one.length, one.place)
            )


def test_pieces_that_leave_from_the_middle_are_not_kept() -> None:
    waiting = WaitingPieces()
    waiting.add(piece(), 1.0)
    for _ in range(10_000):
        gone = piece(deadline_s=1e9)
        waiting.add(gone, 1.0)
        waiting.remove(gone, run=False)
    assert max(len(waiting._front), len(waiting._deadlines)) <= 2 + SLACK + 1
