"""Adds versions and variants of models for requests that may be repeated under an Idempotency-Key."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from inference.registry.models import ModelTask
from inference.registry.tasks.services import found_task
from jobs.api.creations import ACCEPTED, sent_with
from jobs.api.model_files import ModelFile, mark_of
from jobs.documents.uploads import Address
from jobs.idempotency.holds import Hold
from jobs.idempotency.idempotent_requests import Answered, Keep, hold, made_before, make_in_steps
from jobs.idempotency.keys import Operation, Sent
from tenants.identity.identity import Identity


@dataclass(frozen=True)
class ModelCreation:
    """A request that adds a file to a model. What is remembered under its key is the task of the file's checks."""

    identity: Identity
    operation: Operation
    key: str | None
    model: str
    values: Mapping[str, object]
    """The values besides the file, which make two requests the same."""
    add: Callable[[Path, Callable[[ModelTask], None]], ModelTask]
    """A function that adds the file, and calls the function that it is given in the same transaction."""

    def before(self, address: Address) -> Answered[ModelTask] | None:
        """Return what an earlier request with this key made, so that nothing is fetched a second time."""
        return made_before(self._sent(mark_of(address)), self._look)

    def hold(self, address: Address) -> Hold | None:
        return hold(self._sent(mark_of(address)))

    def make(self, file: ModelFile) -> Answered[ModelTask]:
        def accept(keep: Keep[ModelTask]) -> Answered[ModelTask]:
            def along(task: ModelTask) -> None:
                file.use_up()
                keep(Answered(task, ACCEPTED))

            with file.opened() as path:
                return Answered(self.add(path, along), ACCEPTED)

        sent = self._sent(file.mark)
        held = None if sent is None else replace(sent, hold_id=file.hold_id)
        return make_in_steps(held, make=accept, look=self._look)

    def _sent(self, mark: Mapping[str, str]) -> Sent | None:
        return sent_with(self.identity, self.operation, self.key, **mark, **self.values)

    @property
    def _look(self) -> Callable[..., ModelTask]:
        return partial(found_task, self.identity.tenant_id, self.model)
