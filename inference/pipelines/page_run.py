"""The run of one page through a pipeline: each step starts as soon as its inputs exist."""

import contextvars
import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from typing import TypeVar

from inference.core.calls import Call
from inference.core.contracts import VersionSpec, WorkInput
from inference.core.errors import CallCanceled, StepFailed
from inference.pipelines.graph import (
    Block,
    BranchStep,
    Comparison,
    Constant,
    Fields,
    InputIs,
    ModelStep,
    OperationStep,
    Source,
    Step,
)
from inference.pipelines.operations import OPERATIONS
from inference.pipelines.operations.values import Value, arrays_in, value_at
from inference.pipelines.steps import Answered, SettledSteps, StepRunner, ask_member, named
from inference.runtime.parameters import work_kind

MAX_IN_PROCESS = 8
"""The most threads for steps, beside those of pages. Models share the cores, so more would only hold memory."""

Result = TypeVar("Result")


class SideBySide:
    """A pool in which all started work has a thread at once. Nothing waits here, so nothing can wait for itself."""

    def __init__(self, most: int = MAX_IN_PROCESS) -> None:
        self._free = threading.Semaphore(most)
        self._threads = ThreadPoolExecutor(most, thread_name_prefix="step")

    def start(self, work: Callable[[], Result]) -> "Future[Result] | None":
        """Start the work in a thread; return None if every thread is busy. The caller then does the work itself."""
        if not self._free.acquire(blocking=False):
            return None
        context = contextvars.copy_context()
        try:
            return self._threads.submit(self._run, context, work)
        except BaseException:
            self._free.release()
            raise

    def _run(self, context: contextvars.Context, work: Callable[[], Result]) -> Result:
        try:
            return context.run(work)
        finally:
            self._free.release()


IN_THIS_PROCESS = SideBySide()


MAX_BESIDE = 3
"""The most steps of a page that run beside the step in the page's own thread."""


MAX_HELD_BYTES = 256 << 20
"""The most bytes of all tensors that the steps of a page have given."""


@dataclass
class PageRun:
    """The run of one page. Only the page's own thread sets its values."""

    runner: StepRunner
    settled: SettledSteps
    beside: SideBySide
    spec: VersionSpec
    work: WorkInput
    call: Call
    values: dict[str, Value] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    tokens: int = 0
    held_bytes: int = 0
    flying: "dict[Future[Answered], ModelStep]" = field(default_factory=dict)

    def block(self, block: Block) -> Value:
        waiting = list(block.steps)
        try:
            while waiting:
                self.call.check()
                self._land(block=not self._run_some(block, waiting))
            while any(step.name not in self.values for step in block.steps):
                self._land(block=True)
        except BaseException as error:
            # Steps that still run hold the page's picture and a slot in the process, so they must end first.
            self.call.cancel()
            wait(self.flying)
            cause = self._cause_of(error)
            if cause is error:
                raise
            raise cause from error
        return self.value(block.output)

    def _cause_of(self, error: BaseException) -> BaseException:
        """Return the failure to report: not the cancellation, but the failed step that caused it."""
        failures = (future.exception() for future in self.flying) if isinstance(error, CallCanceled) else ()
        return next((failure for failure in failures if failure and not isinstance(failure, CallCanceled)), error)

    def value(self, source: Source) -> Value:
        match source:
            case Constant():
                return source.value
            case Fields():
                return {name: self.value(nested) for name, nested in source.sources.items()}
        return value_at(self.values[source.source], source.path)

    def _run_some(self, block: Block, waiting: list[Step]) -> bool:
        """Run steps that are ready, quick operations first, then models. Return whether there were any."""
        ready = [step for step in waiting if block.needs[step.name] <= self.values.keys()]
        quick = [step for step in ready if _is_quick(step)]
        for step in quick or self._fly_all_but_one(ready):
            waiting.remove(step)
            self._run_here(step)
        for step in self.flying.values():
            if step in waiting:
                waiting.remove(step)
        return bool(ready)

    def _fly_all_but_one(self, ready: list[Step]) -> list[Step]:
        """Start all steps but one in other threads, and return the step that is left for this thread, if any."""
        models = [step for step in ready if isinstance(step, ModelStep)]
        for step in models if len(ready) > len(models) else models[1:]:
            self._fly(step)
        left = [step for step in ready if step not in self.flying.values()]
        return left[:1]

    def _fly(self, step: ModelStep) -> None:
        if len(self.flying) >= MAX_BESIDE:
            return
        future = self.beside.start(lambda: self._ask(step))
        if future is not None:
            self.flying[future] = step
            future.add_done_callback(self._end_all_if_failed)

    def _end_all_if_failed(self, future: "Future[Answered]") -> None:
        if future.exception() is not None:
            self.call.cancel()

    def _land(self, *, block: bool) -> None:
        """Collect the steps that ended in other threads. Of several failures, the first declared is reported."""
        assert self.flying or not block, "a step waits for what no step gives"
        if not self.flying:
            return
        done = wait(self.flying, None if block else 0, FIRST_COMPLETED).done
        landed = {step.name: future for future, step in self.flying.items() if future in done}
        for name, future in landed.items():
            del self.flying[future]
            self._take(name, future.result())

    def _run_here(self, step: Step) -> None:
        match step:
            case ModelStep():
                self._take(step.name, self._ask(step))
            case OperationStep():
                self._take(step.name, self._operate(step))
            case BranchStep():
                with named(step.name):
                    side = step.then if self._holds(step.condition) else step.otherwise
                self.values[step.name] = self.block(side)

    def _take(self, name: str, answered: Answered) -> None:
        self.values[name] = answered.value
        self.held_bytes += sum(array.nbytes for array in arrays_in(answered.value))
        if self.held_bytes > MAX_HELD_BYTES:
            raise StepFailed(
                name, "model_output_too_large", f"the steps hold {self.held_bytes} bytes; at most {MAX_HELD_BYTES} fit"
            )
        self.tokens += answered.tokens
        self.seconds[name] = answered.seconds

    def _ask(self, step: ModelStep) -> Answered:
        """Run a model step in any thread. It reads values and sets none."""
        began_s = time.perf_counter()
        with named(step.name):
            if step.is_settled:
                answered = Answered(self.settled.get(self.spec, step, self.call))
            else:
                answered = ask_member(self.runner, self.spec, step, self.value, self.call)
        return replace(answered, seconds=time.perf_counter() - began_s)

    def _operate(self, step: OperationStep) -> Answered:
        began_s = time.perf_counter()
        with named(step.name):
            inputs = {name: self.value(source) for name, source in step.inputs.items()}
            value = OPERATIONS[step.operation].run(inputs, step.parameters)
        return Answered(value, seconds=time.perf_counter() - began_s)

    def _holds(self, condition: InputIs | Comparison) -> bool:
        if isinstance(condition, InputIs):
            return work_kind(self.work) == condition.kind
        value = self.value(condition.value)
        match condition.test:
            case "at_least":
                return bool(value >= condition.constant)
            case "below":
                return bool(value < condition.constant)
        return bool(value == condition.constant)


def _is_quick(step: Step) -> bool:
    """Return whether a step is quick. A settled step is run once, and its value is kept from then on."""
    return isinstance(step, OperationStep) or (isinstance(step, ModelStep) and step.is_settled)
