"""Reports what a run did, and for each broken promise the history of the job with the faults of that time."""

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime

from .books import Broken
from .options import Options
from .recovery import describe
from .run import Verdict

_SHOWN = 10
_BEFORE_S, _AFTER_S = 3.0, 10.0
"""Seconds before and after a job's events. Faults in this span are reported with the job."""
_COUNTED = ("lost", "doubled", "charged twice", "not charged")


def describe_options(options: Options) -> str:
    return (
        f"seed {options.seed}: {options.jobs} jobs, {options.kills} kills, {options.freezes} freezes, "
        f"{options.cuts} cuts, {options.wipes} wipes, {options.breaks} breaks, "
        f"{options.jumps} jumps of clocks, {options.fills} full disks, {options.promotes} promotions, "
        f"broker {options.broker}, lease {options.lease_s} s"
        f"{', small jobs alone' if options.plain else ''}"
        f"{', with a window' if options.window else ''}"
        f"{', WITHOUT THE OUTBOX' if options.control else ''}"
    )


def tell(verdict: Verdict, options: Options, say: Callable[[str], None]) -> None:
    books = verdict.books
    states = Counter(job.state for job in books.jobs.values())
    answers = verdict.answers.statuses
    say(f"jobs: {len(books.accepted)} accepted; {_counts(states)}")
    say(f"answers to submissions: {_counts(answers)}")
    say(f"usage: {len(books.uses)} rows, {sum(use.amount_micros for use in books.uses)} micros")
    calls = books.calls
    say(f"calls: {calls.sent} sent, {calls.answered} answered; batches: {len(books.batches)}")
    say(f"webhooks: {verdict.hooked} jobs asked for one, {verdict.told} messages arrived; {verdict.followed}")
    for line in describe(verdict.waits, options.lease_s):
        say(line)
    for broken in verdict.broken[:_SHOWN]:
        _tell_broken(broken, verdict, say)
    rules = Counter(broken.rule for broken in verdict.broken)
    counted = ", ".join(f"{rules[rule]} {rule}" for rule in _COUNTED)
    others = ", ".join(f"{count} {rule}" for rule, count in rules.items() if rule not in _COUNTED)
    say(f"{counted}; otherwise broken: {others or 'nothing'}")
    say(f"{'FAILED' if verdict.broken else 'HELD'} in {verdict.took_s:.0f} s: {describe_options(options)}")


def _tell_broken(broken: Broken, verdict: Verdict, say: Callable[[str], None]) -> None:
    """Report a broken promise with the history of its job, and the faults during it."""
    say(f"BROKEN {broken.rule}: {broken.job_id} {broken.detail}")
    job = verdict.books.jobs.get(broken.job_id)
    if job is None or not job.events:
        return
    told = [(event.at_s, f"{event.seq:3} {event.type} {dict(event.data)}") for event in job.events]
    begins_s, ends_s = told[0][0] - _BEFORE_S, told[-1][0] + _AFTER_S
    faults = [(one.at_s, f"*** {one.fault}") for one in verdict.diary if begins_s < one.at_s < ends_s]
    for at_s, what in sorted(told + faults):
        say(f"    {_clock(at_s)}  {what}")


def _clock(at_s: float) -> str:
    return datetime.fromtimestamp(at_s, UTC).strftime("%H:%M:%S.%f")[:-3]


def _counts(counter: Counter[str]) -> str:
    return ", ".join(f"{count} {what}" for what, count in sorted(counter.items())) or "none"
