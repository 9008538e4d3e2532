"""The queue of a model, ordered so that the next batch is found without looking at every waiting piece."""

from bisect import bisect_left, insort
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import chain

from inference.batching.fair_order import FairOrder

SLACK = 64


@dataclass(slots=True, eq=False, kw_only=True)
class QueuedPiece:
    tenant: str
    group: Hashable
    length: int
    rows: int
    queued_s: float
    deadline_s: float | None = None
    place: tuple[float, int] = (0.0, 0)
    """The position in the fair order, then in the order of arrival."""
    cost: float = 0.0
    waiting: bool = False


def _place(piece: QueuedPiece) -> tuple[float, int]:
    return piece.place


@dataclass(slots=True)
class _Group:
    """Pieces that may share a batch, by length, and in their fair order within a length."""

    lengths: list[int] = field(default_factory=list)
    by_length: dict[int, list[QueuedPiece]] = field(default_factory=dict)

    def add(self, piece: QueuedPiece) -> None:
        alike = self.by_length.get(piece.length)
        if alike is None:
            self.by_length[piece.length] = [piece]
            insort(self.lengths, piece.length)
        elif alike[-1].place < piece.place:
            alike.append(piece)
        else:
            insort(alike, piece, key=_place)

    def remove(self, piece: QueuedPiece) -> None:
        alike = self.by_length[piece.length]
        position = 0 if alike[0] is piece else bisect_left(alike, piece.place, key=_place)
        del alike[position]
        if not alike:
            del self.by_length[piece.length]
            del self.lengths[bisect_left(self.lengths, piece.length)]


class WaitingPieces:
    def __init__(self) -> None:
        self.rows = 0
        self._rows_of: dict[str, int] = {}
        self._count = 0
        self._arrivals = 0
        self._order = FairOrder()
        self._groups: dict[Hashable, _Group] = {}
        self._front: list[tuple[tuple[float, int], QueuedPiece]] = []
        self._deadlines: list[tuple[float, int, QueuedPiece]] = []

    def __len__(self) -> int:
        return self._count

    def rows_of(self, tenant: str) -> int:
        return self._rows_of.get(tenant, 0)

    def add(self, piece: QueuedPiece, cost: float) -> None:
        self._arrivals += 1
        self._count += 1
        self.rows += piece.rows
        self._rows_of[piece.tenant] = self.rows_of(piece.tenant) + piece.rows
        piece.cost, piece.waiting = cost, True
        piece.place = (self._order.enter(piece.tenant, cost), self._arrivals)
        heappush(self._front, (piece.place, piece))
        if piece.deadline_s is not None:
            heappush(self._deadlines, (piece.deadline_s, self._arrivals, piece))
        group = self._groups.get(piece.group)
        if group is None:
            group = self._groups[piece.group] = _Group()
        group.add(piece)

    def remove(self, piece: QueuedPiece, *, run: bool) -> None:
        """Remove the piece from the queue. If `run` is set, its cost counts against its tenant."""
        piece.waiting = False
        self._count -= 1
        self.rows -= piece.rows
        left = self._rows_of[piece.tenant] - piece.rows
        if left:
            self._rows_of[piece.tenant] = left
        else:
            del self._rows_of[piece.tenant]
        self._order.leave(piece.tenant, piece.cost, run=run)
        group = self._groups[piece.group]
        group.remove(piece)
        if not group.lengths:
            del self._groups[piece.group]
        self._tidy()

    def serve(self, first: QueuedPiece) -> None:
        self._order.serve(first.place[0])

    def rest(self) -> None:
        self._order.rest()

    def first(self) -> QueuedPiece | None:
        while self._front:
            piece = self._front[0][1]
            if piece.waiting:
                return piece
            heappop(self._front)
        return None

    def first_deadline(self) -> QueuedPiece | None:
        while self._deadlines:
            piece = self._deadlines[0][2]
            if piece.waiting:
                return piece
            heappop(self._deadlines)
        return None

    def up_to_length(self, piece: QueuedPiece) -> Iterator[QueuedPiece]:
        """Return the pieces of the same group that are not longer than this one, longest first."""
        group = self._groups[piece.group]
        end = bisect_left(group.lengths, piece.length) + 1
        return chain.from_iterable(group.by_length[length] for length in reversed(group.lengths[:end]))

    def beyond_length(self, piece: QueuedPiece) -> Iterator[QueuedPiece]:
        """Return the pieces of the same group that are longer than this one, shortest first."""
        group = self._groups[piece.group]
        begin = bisect_left(group.lengths, piece.length) + 1
        return chain.from_iterable(group.by_length[length] for length in group.lengths[begin:])

    def __iter__(self) -> Iterator[QueuedPiece]:
        for group in self._groups.values():
            yield from chain.from_iterable(group.by_length.values())

    def _tidy(self) -> None:
        """Drop the pieces that left from the heaps before they outnumber those that wait."""
        if len(self._front) > 2 * self._count + SLACK:
            self._front = [entry for entry in self._front if entry[1].waiting]
            heapify(self._front)
        if len(self._deadlines) > 2 * self._count + SLACK:
            self._deadlines = [entry for entry in self._deadlines if entry[2].waiting]
            heapify(self._deadlines)
