"""Keeps pages that were read with another one until they are wanted, bounded in number, size and time."""

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

from jobs.documents.reader import PageContent

MAX_CHARS = 8_000_000
MAX_PAGES = 1_000
MAX_AGE_S = 60.0
"""The time that a page is kept, so that the text of an erased document is soon gone from memory."""
MAX_WAIT_S = 5.0
"""The time after which a thread reads by itself, however long the other one takes."""
_TURNS = 64
"""The locks that documents share. Two of them rarely share one."""

Key = tuple[UUID, UUID, int]
"""The ids of the tenant and of the document, and the number of the page."""


@dataclass(frozen=True, slots=True)
class _Kept:
    content: PageContent
    chars: int
    until_s: float


class PagesAhead:
    """The pages of a process. Each can be taken once."""

    def __init__(self, max_chars: int = MAX_CHARS, max_pages: int = MAX_PAGES) -> None:
        self._max_chars = max_chars
        self._max_pages = max_pages
        self._kept: OrderedDict[Key, _Kept] = OrderedDict()
        self._chars = 0
        self._lock = threading.Lock()
        self._turns = [threading.Lock() for _ in range(_TURNS)]

    @contextmanager
    def turn(self, key: Key) -> Iterator[None]:
        """Wait while another thread reads a page of the document, since the page with this key may come with it."""
        lock = self._turns[hash(key[:2]) % _TURNS]
        is_mine = lock.acquire(timeout=MAX_WAIT_S)
        try:
            yield
        finally:
            if is_mine:
                lock.release()

    def put(self, key: Key, contents: Sequence[PageContent], now_s: float) -> None:
        """Keep the pages from the one with this key on. The oldest ones give way to them."""
        tenant, document, first = key
        with self._lock:
            for number, content in enumerate(contents, first):
                self._drop((tenant, document, number))
                kept = _Kept(content, sum(len(line.text) for line in content.text_lines or ()), now_s + MAX_AGE_S)
                self._kept[tenant, document, number] = kept
                self._chars += kept.chars
            self._trim(now_s)

    def take(self, key: Key, now_s: float) -> PageContent | None:
        with self._lock:
            self._trim(now_s)
            kept = self._drop(key)
        return None if kept is None else kept.content

    def _trim(self, now_s: float) -> None:
        while self._kept:
            oldest = next(iter(self._kept))
            is_over = self._chars > self._max_chars or len(self._kept) > self._max_pages
            if not is_over and self._kept[oldest].until_s > now_s:
                return
            self._drop(oldest)

    def _drop(self, key: Key) -> _Kept | None:
        kept = self._kept.pop(key, None)
        self._chars -= kept.chars if kept else 0
        return kept
