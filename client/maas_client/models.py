"""The models of the service for programs that wait for each answer."""

import builtins
from datetime import datetime
from typing import Unpack

from maas_client.calls import Calls
from maas_client.class_sets import Player
from maas_client.model_calls import ModelCalls, TaskTold, VersionChanges, VersionTold
from maas_client.pushes import About
from maas_client.resources import Alias, Json, Model, ModelTask, ModelVersion, Variant
from maas_client.uploads import Progress, Source

CURRENT = "current"
"""The alias that a model's plain name stands for."""


class Models:
    """The models of the service, as `models` of a `Client`."""

    def __init__(self, calls: Calls, play: Player) -> None:
        self._calls, self._play = ModelCalls(calls), play

    def __call__(self) -> builtins.list[Model]:
        return self._play(self._calls.listed())

    def list(self) -> builtins.list[Model]:
        return self._play(self._calls.listed())

    def get(self, name: str) -> Model:
        """Return a model by its name, `name@alias` or `name@version`."""
        return self._play(self._calls.get(name))

    def delete(self, name: str) -> None:
        """Delete the model with its aliases. Raises Conflict while pipelines or jobs refer to it."""
        self._play(self._calls.delete(name))

    def push(
        self,
        file: Source | None = None,
        *,
        name: str,
        license: str,
        wait: float | None = 600.0,
        told: VersionTold | None = None,
        **about: Unpack[About],
    ) -> ModelVersion:
        """Send a version of a model, wait until it is checked, and return it.

        `file` is a path, bytes or an open file; or the service fetches it from `url`. A new name makes a new model,
        whose first version becomes `current`. A file over 32 MiB is sent in parts, and continues after an outage.
        `told` is called with the version while it is checked. Raises ModelRefused with the reason, and ModelTimedOut
        after `wait` seconds (None: never; 0: do not wait).
        """
        return self._play(self._calls.push(file, about, name=name, license=license, wait_s=wait, told=told))

    def wait_ready(
        self, name: str, version: int, *, seconds: float | None = None, told: VersionTold | None = None
    ) -> ModelVersion:
        """Wait until the version is checked. Raises ModelRefused, and ModelTimedOut after `seconds` (None: never)."""
        return self._play(self._calls.wait_ready(name, version, seconds, told))

    def versions(self, name: str) -> builtins.list[ModelVersion]:
        return self._play(self._calls.versions(name))

    def version(self, name: str, version: int) -> ModelVersion:
        return self._play(self._calls.version(name, version))

    def change(self, name: str, version: int, **changes: Unpack[VersionChanges]) -> ModelVersion:
        """Change the description, the labels or the card of a version, or resume it with `paused=False`."""
        return self._play(self._calls.change(name, version, changes))

    def retire(self, name: str, version: int) -> ModelVersion:
        return self._play(self._calls.retire(name, version))

    def delete_version(self, name: str, version: int) -> None:
        """Delete a version. Raises Conflict while an alias, a pipeline or a job refers to it."""
        self._play(self._calls.delete_version(name, version))

    def aliases(self, name: str) -> builtins.list[Alias]:
        return self._play(self._calls.aliases(name))

    def move_alias(self, name: str, alias: str, version: int, *, if_version: int | None = None) -> Alias:
        """Let the alias name this version, and make it if there is none.

        With `if_version`, raises Conflict unless the alias names that version at this moment.
        """
        return self._play(self._calls.move_alias(name, alias, version, if_version))

    def rollback(self, name: str, alias: str = CURRENT, *, idempotency_key: str | None = None) -> Alias:
        """Let the alias name the version that it named before its last move."""
        return self._play(self._calls.rollback(name, alias, idempotency_key))

    def history(self, name: str, alias: str = CURRENT, *, at: datetime | None = None) -> builtins.list[Alias]:
        """Return the moves of the alias, newest first, or with `at` only the one in force at that time."""
        return self._play(self._calls.history(name, alias, at))

    def delete_alias(self, name: str, alias: str) -> None:
        self._play(self._calls.delete_alias(name, alias))

    def variants(self, name: str, version: int) -> builtins.list[Variant]:
        return self._play(self._calls.variants(name, version))

    def add_variant(
        self,
        name: str,
        version: int,
        file: Source,
        *,
        precision: str,
        progress: Progress | None = None,
        idempotency_key: str | None = None,
    ) -> ModelTask:
        """Send a file of the version in another precision, such as int8, and return the task that measures it."""
        return self._play(
            self._calls.add_variant(name, version, file, precision=precision, progress=progress, key=idempotency_key)
        )

    def use_variant(
        self, name: str, version: int, variant: str, *, alias: str = CURRENT, if_version: int | None = None
    ) -> Json:
        """Make the variant a version of its own, let the alias name it, and return the version.

        With `if_version`, raises Conflict unless the alias names that version at this moment.
        """
        return self._play(self._calls.use_variant(name, version, variant, alias=alias, if_version=if_version))

    def refuse_variant(self, name: str, version: int, variant: str) -> Json:
        return self._play(self._calls.refuse_variant(name, version, variant))

    def optimize(self, name: str, version: int, *, idempotency_key: str | None = None, **options: object) -> ModelTask:
        """Make variants of the version and measure them. Returns the task that does it."""
        return self._play(self._calls.optimize(name, version, options, idempotency_key))

    def task(self, name: str, task: str) -> ModelTask:
        return self._play(self._calls.task(name, task))

    def wait_task(
        self, name: str, task: str, *, seconds: float | None = None, told: TaskTold | None = None
    ) -> ModelTask:
        """Wait until the task has ended. Raises TaskFailed, and ModelTimedOut after `seconds` (None: never)."""
        return self._play(self._calls.wait_task(name, task, seconds, told))

    def cancel_task(self, name: str, task: str) -> ModelTask:
        return self._play(self._calls.cancel_task(name, task))
