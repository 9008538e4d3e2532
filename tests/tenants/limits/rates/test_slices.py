"""Tests that many processes, each with its slice of one limit, never exceed that limit, in whatever order things
happen.
"""

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from tenants.core.token_bucket import Bucket
from tenants.limits.rates.asking import Ask, Heard, Verdict
from tenants.limits.rates.script import SHARE
from tenants.limits.rates.slice import KEPT_S, Slice
from tenants.limits.rates.slots import RENEWED_S, Slots
from tenants.limits.rates.tab import Tab
from tests.tenants.limits.rates.conftest import calls, requests, tokens

US = 1_000_000
PROCESSES = 4


@dataclass
class Ledger:
    """A copy in Python of the script in Redis; test_desk.py tests the script itself."""

    bucket: Bucket = field(default_factory=Bucket)
    held: dict[int, int] = field(default_factory=dict)

    def rate(self, ask: Ask, now_s: float) -> Heard:
        now_us = int(now_s * US)
        bucket = self.bucket.given_back(ask.back, ask.limit, now_us) if ask.back else self.bucket
        bucket = bucket.without(ask.debit, ask.limit, now_us)
        bucket = bucket.without_at_most(ask.soft, ask.limit, now_us)
        there = max(0, bucket.available(ask.limit, now_us))
        granted = min(ask.need, there)
        if there >= ask.limit / 2:
            granted += min(ask.want, (there - granted) // SHARE)
        self.bucket = bucket.without(granted, ask.limit, now_us)
        return Heard(granted, self.bucket.full_at_us - now_us)

    def slots(self, process: int, ask: Ask) -> Heard:
        others = sum(count for owner, count in self.held.items() if owner != process)
        there = max(0, ask.limit - others - ask.back)
        granted = min(ask.need, there)
        granted += min(ask.want, (there - granted) // SHARE)
        self.held[process] = ask.back + granted
        return Heard(granted, others)


@dataclass(frozen=True)
class Step:
    process: int
    callers: int
    pause_s: float
    is_lost: bool
    """Redis has carried out the request, but its answer is lost."""


steps = st.lists(
    st.builds(
        Step,
        st.integers(0, PROCESSES - 1),
        st.integers(0, 30),
        st.sampled_from([0.0, 0.001, 0.02, 0.1, 0.3, 1.1, 5.0]),
        st.integers(0, 9).map(lambda number: number == 0),
    ),
    max_size=120,
)


def served(gate: Slice, ledger: Ledger, step: Step, now_s: float) -> int:
    """Have the callers of the step come at once, and return how many passed. Callers who need a request to Redis share
    it, and repeat it if it was not enough.
    """
    passed = 0
    waiting = step.callers
    for _ in range(3):
        while waiting and gate.look(now_s) is Verdict.YES:
            gate.take(now_s)
            passed, waiting = passed + 1, waiting - 1
        if not waiting and not gate.is_due(now_s):
            break
        gate.waiting = waiting
        answer = ledger.rate(gate.ask(now_s), now_s)
        if step.is_lost:
            gate.lose(now_s)
            gate.waiting = 0
            break
        gate.hear(answer, now_s)
        gate.waiting = 0
    return passed


@given(st.integers(1, 400), steps)
def test_processes_together_never_let_through_more_than_the_limit(amount: int, steps: list[Step]) -> None:
    """The most in any period is a full bucket, plus what flows in during the period and in the second for which a lease
    is kept.
    """
    limit, ledger, now_s = requests(amount), Ledger(), 1_000.0
    gates = [Slice(limit, now_s) for _ in range(PROCESSES)]
    passed: list[tuple[float, int]] = []
    for step in steps:
        now_s += step.pause_s
        passed.append((now_s, served(gates[step.process], ledger, step, now_s)))
    for first, (since_s, _) in enumerate(passed):
        total = 0
        for until_s, count in passed[first:]:
            total += count
            assert total <= amount + (until_s - since_s + KEPT_S) * amount / 60 + 1


@given(st.integers(1, 400), st.integers(1, 300))
def test_nothing_gets_lost_between_processes(amount: int, callers: int) -> None:
    """All callers come at one moment, and go from process to process. A caller is refused only if the limit is used up
    or the rest is leased by another process.
    """
    limit, ledger, now_s = requests(amount), Ledger(), 1_000.0
    gates = [Slice(limit, now_s) for _ in range(PROCESSES)]
    passed = sum(served(gates[number % PROCESSES], ledger, Step(0, 1, 0, False), now_s) for number in range(callers))
    assert min(amount, callers) - sum(gate._held for gate in gates) <= passed <= amount


@given(steps)
def test_what_nobody_used_is_all_there_again_once_it_was_given_back(steps: list[Step]) -> None:
    limit, ledger, now_s = requests(600), Ledger(), 1_000.0
    gates = [Slice(limit, now_s) for _ in range(PROCESSES)]
    for step in steps:
        now_s += step.pause_s
        served(gates[step.process], ledger, step, now_s)
    for gate in gates:
        gate.retire()
        gate.hear(ledger.rate(gate.ask(now_s), now_s), now_s)
        assert gate.is_idle(now_s + 60)


@given(st.integers(1, 100), st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=150))
def test_processes_together_never_have_more_calls_under_way_than_may_be(
    amount: int, actions: list[tuple[int, bool]]
) -> None:
    limit, ledger, now_s = calls(amount), Ledger(), 1_000.0
    gates = [Slots(limit, now_s) for _ in range(PROCESSES)]
    under_way = [0] * PROCESSES
    for process, begins in actions:
        now_s += 0.01
        gate = gates[process]
        if not begins:
            if under_way[process]:
                gate.end(now_s)
                under_way[process] -= 1
        elif gate.look(now_s) is Verdict.ASK:
            gate.waiting = 1
            gate.hear(ledger.slots(process, gate.ask(now_s)), now_s)
            gate.waiting = 0
        if begins and gate.look(now_s) is Verdict.YES:
            gate.take(now_s)
            under_way[process] += 1
        if gate.is_due(now_s):
            gate.hear(ledger.slots(process, gate.ask(now_s)), now_s)
        assert sum(under_way) <= amount


def test_places_in_use_are_told_again_before_redis_takes_the_process_for_dead() -> None:
    gate = Slots(calls(100), 0.0)
    gate.waiting = 1
    gate.ask(0.0)
    gate.hear(Heard(1, 0), 0.0)
    gate.waiting = 0
    gate.take(0.0)
    assert not gate.is_due(RENEWED_S / 2)
    assert gate.is_due(RENEWED_S)


@given(st.lists(st.integers(1, 500), min_size=1, max_size=50))
def test_tokens_that_were_used_are_owed_and_told_once(uses: list[int]) -> None:
    limit, ledger, now_s = tokens(600), Ledger(), 1_000.0
    tab = Tab(limit, now_s)
    for count in uses:
        tab.charge(count)
        if count % 2:
            tab.hear(ledger.rate(tab.ask(now_s), now_s), now_s)
    tab.hear(ledger.rate(tab.ask(now_s), now_s), now_s)
    assert not tab.is_due(now_s)
    assert ledger.bucket.available(600, int(now_s * US)) == 600 - sum(uses)
    assert tab.look(now_s) is (Verdict.YES if sum(uses) < 600 else Verdict.NO)


def test_what_was_let_through_without_redis_is_told_until_it_is_heard() -> None:
    one = Slice(requests(10), 0.0)
    for _ in range(3):
        one.take_alone(0.0)
    assert one.ask(0.1).soft == 3
    one.lose(0.2)
    assert one.is_due(0.2)
    assert one.ask(0.3).soft == 3
    one.hear(Heard(0, 0), 0.4)
    assert not one.is_due(0.4)


def test_who_was_let_through_alone_is_paid_for_out_of_what_was_asked_for_them_and_came_late() -> None:
    """Otherwise a process whose Redis is late would let the limit through alone and, in addition, what it was
    granted.
    """
    limit, ledger, now_s = requests(10), Ledger(), 1_000.0
    mine = Slice(limit, now_s)
    mine.waiting = 6
    late = ledger.rate(mine.ask(now_s), now_s)
    alone = 0
    while alone < 4 and mine.look_alone(now_s) is Verdict.YES:
        mine.take_alone(now_s)
        alone += 1
    mine.hear(late, now_s)
    mine.waiting = 0
    assert (alone, late.granted) == (4, 6)
    assert mine.ask(now_s).soft == 0
    granted = 0
    while mine.look(now_s) is Verdict.YES:
        mine.take(now_s)
        granted += 1
    assert granted == 2
