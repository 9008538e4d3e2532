"""Jobs to which everything happens that can happen, in any order, through the services that the product calls."""

import sys
from collections.abc import Callable, Collection
from functools import partial
from uuid import UUID, uuid4

import pytest
from django.conf import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)

from jobs.core import states
from jobs.core.errors import JobFinished, JobNotFinished, NothingToRetry
from jobs.core.models import Document, Job, Page
from jobs.queue.claims import Claim, claim_page, hand_back, renew_leases, say_loading
from jobs.queue.settlement import Failure, fail_page, finish_page, postpone_page
from jobs.queue.sweeper import sweep_expired_leases
from jobs.results.reuse.cache_directives import Wish
from jobs.results.reuse.cached_pages import Content
from jobs.results.reuse.running import Found, look, plan_for, take_known_page, wait_for_it
from jobs.retention.documents import delete_document
from jobs.submission.cancellations import cancel_job
from jobs.submission.idempotent_submission import submit_once
from jobs.submission.retries import retry_job
from jobs.submission.services import JobRequest
from tests.jobs.conftest import DONE
from tests.jobs.life import clock, laws
from tests.jobs.life.books import Books, read_books
from tests.jobs.life.crashes import Fate, is_done, undone
from tests.jobs.results.reuse.conftest import Bench

CONTENTS = st.sampled_from("ab")
"""The contents of pages. They are so few that pages are often the same."""
MAX_JOBS = 4
"""The maximum number of jobs. More jobs would only make it rarer that things happen to the same page."""
MAX_LATE = 2
"""The number of workers that come back after each step. They are those that lost their pages last."""
WISHES = st.sampled_from(["", "", "", "no-cache", "no-store"])
FATES = st.sampled_from([Fate.HEARD, Fate.HEARD, Fate.UNDONE, Fate.UNHEARD])
TROUBLE = Failure("model_failed", "It could not be read.")


class Life(RuleBasedStateMachine):
    """The state machine. One example has jobs of its own, identified by the request that made them, and contents of its
    own.
    """

    claims = Bundle("claims")
    """The claims to pages. Most of them are lost in time, but their holders continue nevertheless."""

    def __init__(self, bench: Bench) -> None:
        super().__init__()
        self.bench, self.identity = bench, bench.desk.identity
        self.request_id = uuid4().hex
        self.found: dict[int, Found] = {}
        self.given: list[Claim] = []
        self.contents: dict[UUID, list[str]] = {}
        self.before = self.books = read_books(self.request_id)

    @initialize(target=claims, contents=st.lists(CONTENTS, min_size=1, max_size=3), opened=st.booleans())
    def begin(self, contents: list[str], opened: bool) -> MultipleResults[Claim]:
        """Begin with claimed pages, because few steps would get there by chance."""
        self.submit_document(contents, opened, Fate.HEARD)
        made = [self.bench.desk.claimed(page) for page in self._read().pages.values()]
        self.given += made
        return multiple(*made)

    # Callers

    @precondition(lambda self: len(self.books.jobs) < MAX_JOBS)
    @rule(content=CONTENTS, wish=WISHES, fate=FATES)
    def submit_text(self, content: str, wish: Wish, fate: Fate) -> None:
        text = {"text": f"{self.request_id} {content}"}
        self._submit(self._request(wish, input=text), fate)

    @precondition(lambda self: len(self.books.jobs) < MAX_JOBS)
    @rule(contents=st.lists(CONTENTS, min_size=1, max_size=3), opened=st.booleans(), fate=FATES)
    def submit_document(self, contents: list[str], opened: bool, fate: Fate) -> None:
        written = [f"{self.request_id} {content}" for content in contents]
        document = self.bench.opened(*written) if opened else self.bench.desk.document(len(contents))
        self.contents[document.id] = written
        self._submit(self._request("", document_id=document.id), fate)

    @precondition(lambda self: len(self.books.jobs) > 1)
    @rule(data=st.data(), fate=FATES)
    def cancel(self, data: st.DataObject, fate: Fate) -> None:
        job = self._any_job(data)
        if job is None:
            return
        if job.terminal and job.state != states.CANCELED:
            self._refused(JobFinished, partial(cancel_job, identity=self.identity, job_id=job.id))
        else:
            self._carry_out(partial(cancel_job, identity=self.identity, job_id=job.id), fate)
            assert fate is Fate.UNDONE or self._read().jobs[job.id].state == states.CANCELED

    @rule(data=st.data(), fate=FATES)
    def retry(self, data: st.DataObject, fate: Fate) -> None:
        job = self._any_job(data)
        if job is None or (job.document and job.document.deleted_at):
            return
        call = partial(retry_job, identity=self.identity, job_id=job.id, request_id=self.request_id)
        if not job.terminal:
            self._refused(JobNotFinished, call)
        elif job.state == states.SUCCEEDED:
            self._refused(NothingToRetry, call)
        elif fate is Fate.UNDONE:
            self._undone(call)
        else:
            again = call()
            assert again.retry_of_id == job.id
            assert again.terminal or call().id == again.id

    @precondition(lambda self: len(self.books.jobs) > 1)
    @rule(data=st.data(), fate=FATES)
    def erase(self, data: st.DataObject, fate: Fate) -> None:
        live = [job.document for job in self.books.jobs.values() if job.document and not job.document.deleted_at]
        if not live:
            return
        document: Document = data.draw(st.sampled_from(live))
        call = partial(delete_document, identity=self.identity, document_id=document.id)
        if fate is Fate.UNDONE:
            self._undone(call)
        else:
            call()

    # Workers

    @rule(target=claims, data=st.data(), fate=FATES, alone=st.booleans())
    def claim(self, data: st.DataObject, fate: Fate, alone: bool) -> MultipleResults[Claim] | Claim:
        page = self._any_page(data, states.UNFINISHED)
        if page is None:
            return multiple()
        call = partial(claim_page, self.identity.tenant_id, page.id, "one", may_apart=lambda: alone)
        if fate is Fate.UNDONE:
            self._undone(call)
            return multiple()
        expected, claim = self._may_be_claimed(page, alone), call()
        assert (claim is not None) == expected
        if claim is None or fate is Fate.UNHEARD:
            assert call() is None, "a message that comes twice gives nobody a second claim"
            return multiple()
        self.given.append(claim)
        return claim

    @rule(target=claims, data=st.data())
    def another_takes_over(self, data: st.DataObject) -> MultipleResults[Claim] | Claim:
        """Claim a page of a worker that is considered dead and that may come back at any time."""
        page = self._any_page(data, {states.RUNNING})
        if page is None:
            return multiple()
        clock.let_lease_end(self.request_id, page.id)
        claim = claim_page(self.identity.tenant_id, page.id, "two")
        assert (claim is None) == (page.attempt == settings.MAAS_MAX_ATTEMPTS)
        self.given += [claim] if claim else []
        return claim or multiple()

    @rule(claim=claims)
    def look_for_a_known_result(self, claim: Claim) -> None:
        plan = plan_for(claim, self.bench.spec, self._content(claim))
        if plan.key is not None and plan.looks:
            self.found[claim.token] = look(claim, plan.key)

    @rule(claim=claims, fate=FATES)
    def finish(self, claim: Claim, fate: Fate) -> None:
        """Finish a page as the worker would: with what it has found, or with its own result, however long ago it
        looked.
        """
        key = plan_for(claim, self.bench.spec, self._content(claim)).key
        found = self.found.get(claim.token, Found())
        if key is not None and found.elsewhere:
            self._settle(claim, partial(wait_for_it, claim, key), fate)
        elif key is not None and found.cached:
            self._settle(claim, partial(take_known_page, claim, key, found.cached), fate)
        else:
            self._settle(claim, partial(finish_page, claim, DONE, key=key), fate)

    @rule(claim=claims, may_retry=st.booleans(), fate=FATES)
    def fail(self, claim: Claim, may_retry: bool, fate: Fate) -> None:
        self._settle(claim, partial(fail_page, claim, TROUBLE, may_retry=may_retry), fate)

    @rule(claim=claims, fate=FATES)
    def postpone(self, claim: Claim, fate: Fate) -> None:
        self._settle(claim, partial(postpone_page, claim, TROUBLE), fate)

    @rule(claim=claims, fate=FATES)
    def give_back(self, claim: Claim, fate: Fate) -> None:
        self._settle(claim, partial(hand_back, claim), fate)

    @rule(claim=claims)
    def say_that_it_loads(self, claim: Claim) -> None:
        held = self._holds(claim)
        say_loading(claim)
        assert held or self._read().said == self.books.said

    @rule(claims=st.lists(claims, max_size=4))
    def heartbeat(self, claims: list[Claim]) -> None:
        held = {claim.token for claim in claims if self._holds(claim)}
        assert renew_leases(claims) == held

    # Time, and the scheduler

    @rule(data=st.data())
    def a_lease_ends(self, data: st.DataObject) -> None:
        page = self._any_page(data, {states.RUNNING})
        if page is not None:
            clock.let_lease_end(self.request_id, page.id)

    @rule()
    def time_passes(self) -> None:
        clock.come_due(self.request_id)

    @rule(fate=FATES)
    def sweep(self, fate: Fate) -> None:
        self._carry_out(sweep_expired_leases, fate)

    # Checks after each step

    @invariant()
    def the_books_are_in_order(self) -> None:
        clock.hold_still(self.request_id)
        self.before, self.books = self.books, self._read()
        laws.check(self.books)
        laws.check_moves(self.before, self.books)

    @invariant()
    def whoever_lost_a_page_writes_nothing(self) -> None:
        late = [claim for claim in self.given if not self._holds(claim)][-MAX_LATE:]
        assert not any(is_done(partial(finish_page, claim, DONE)) for claim in late)
        assert not late or self._read().said == self.books.said

    def teardown(self) -> None:
        """End all earlier workers, and let new ones bring every job to its end."""
        if sys.exc_info()[0] is not None:
            return
        for _ in range(3 * settings.MAAS_MAX_ATTEMPTS):
            clock.let_leases_end(self.request_id)
            sweep_expired_leases()
            self.time_passes()
            self.the_books_are_in_order()
            for page in self.books.pages.values():
                self._work_on(page)
            self.the_books_are_in_order()
            if all(job.terminal for job in self.books.jobs.values()):
                return
        raise AssertionError("there are jobs that come to no end")

    def _work_on(self, page: Page) -> None:
        claim = self.bench.desk.claim(page)
        self.the_books_are_in_order()
        if claim is not None:
            self.look_for_a_known_result(claim)
            self.finish(claim, Fate.HEARD)

    # Expectations

    def _holds(self, claim: Claim) -> bool:
        page = self.books.pages[claim.page_id]
        return (page.state, page.lease_token) == (states.RUNNING, claim.token)

    def _may_be_claimed(self, page: Page, alone: bool) -> bool:
        if page.attempt >= settings.MAAS_MAX_ATTEMPTS:
            return False
        if page.id not in self.books.lost and self.books.due_in_s.get(page.id, 1) > 0:
            return False
        lost = page.id in self.books.lost or page.error_code == "worker_lost"
        return alone or not (lost and page.attempt == settings.MAAS_MAX_ATTEMPTS - 1)

    # Helpers

    def _submit(self, request: JobRequest, fate: Fate) -> None:
        call = partial(submit_once, identity=self.identity, request=request, key=uuid4().hex)
        if fate is Fate.UNDONE:
            self._undone(call)
            return
        job = call().made
        if fate is Fate.UNHEARD:
            after = self._read().said
            assert call().made.id == job.id
            assert self._read().said == after

    def _request(self, wish: Wish, **work: object) -> JobRequest:
        name = self.bench.desk.version.served_model.name
        return JobRequest(model=name, cache_control=wish, request_id=self.request_id, **work)  # type: ignore[arg-type]

    def _settle(self, claim: Claim, call: Callable[[], object], fate: Fate) -> None:
        """Check that the holder of a page changes it once, and that any other claim changes nothing at all."""
        if fate is Fate.UNDONE:
            self._undone(call)
            return
        held, before = self._holds(claim), self.books.said
        assert is_done(call) == held
        after = self._read().said
        assert (after != before) == held
        if fate is Fate.UNHEARD:
            assert not is_done(call)
            assert self._read().said == after

    def _carry_out(self, call: Callable[[], object], fate: Fate) -> None:
        """Make a call that may be repeated. The second call has nothing left to do."""
        if fate is Fate.UNDONE:
            self._undone(call)
            return
        call()
        if fate is Fate.UNHEARD:
            after = self._read().said
            call()
            assert self._read().said == after

    def _undone(self, call: Callable[[], object]) -> None:
        undone(call)
        assert self._read().said == self.books.said

    def _refused(self, error: type[Exception], call: Callable[[], object]) -> None:
        with pytest.raises(error):
            call()
        assert self._read().said == self.books.said

    def _content(self, claim: Claim) -> Content:
        if claim.document is None:
            return Content("input", claim.input_sha256)
        return Content("page", self.contents[claim.document.id][claim.number - 1])

    def _any_job(self, data: st.DataObject) -> Job | None:
        return data.draw(st.sampled_from(list(self.books.jobs.values()))) if self.books.jobs else None

    def _any_page(self, data: st.DataObject, among: Collection[str]) -> Page | None:
        """Return any page in one of these states."""
        pages = [page for page in self.books.pages.values() if page.state in among]
        return data.draw(st.sampled_from(pages)) if pages else None

    def _read(self) -> Books:
        return read_books(self.request_id)
