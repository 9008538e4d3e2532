"""The calls about models, their versions, aliases, variants and tasks, as flows."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, TypedDict, TypeVar
from urllib.parse import quote

from maas_client.calls import LONGEST_OUTAGE_S, LONGEST_ROUND_S, RESTART_S, Calls
from maas_client.errors import ModelRefused, ModelTimedOut, TaskFailed
from maas_client.exchange import Flow, Pause, Reply, Request
from maas_client.pushes import MODELS, About, push_request
from maas_client.reading import json_of, retry_after_of
from maas_client.resources import Alias, Model, ModelTask, ModelVersion, Variant
from maas_client.sending import LARGE_BYTES
from maas_client.submissions import key_header
from maas_client.uploads import Progress, Source, file_part
from maas_client.wait_budget import WaitBudget

T = TypeVar("T")
W = TypeVar("W", ModelVersion, ModelTask)
VersionTold = Callable[[ModelVersion], None]
TaskTold = Callable[[ModelTask], None]
MIN_PAUSE_S, MAX_PAUSE_S = 0.5, 2.0
LONGEST_JOIN_S = 120.0
"""The longest time in seconds that the service needs to put the parts of a large file together."""


class VersionChanges(TypedDict, total=False):
    """The changes of a version. Everything else of it stays as it was checked."""

    description: str
    labels: Mapping[str, str]
    card: str
    paused: bool
    """False lets a version run again that was paused because its process ended several times."""


def path_of(name: str, *rest: str | int) -> str:
    return "/".join([MODELS, *(quote(str(one), safe="") for one in (name, *rest))])


def version_path(name: str, version: int, *rest: str | int) -> str:
    return path_of(name, "versions", version, *rest)


class ModelCalls:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def listed(self) -> Flow[list[Model]]:
        return (yield from self._rows(MODELS, Model.from_json))

    def get(self, name: str) -> Flow[Model]:
        return self._calls.shaped(Request("GET", f"{MODELS}/{quote(name, safe='@')}"), Model.from_json)

    def delete(self, name: str) -> Flow[None]:
        yield from self._calls.ask(Request("DELETE", path_of(name)))

    # Versions

    def push(
        self,
        file: Source | None,
        about: About,
        *,
        name: str,
        license: str,
        wait_s: float | None,
        told: VersionTold | None,
    ) -> Flow[ModelVersion]:
        made = json_of((yield from self._with_file(push_request(file, name, license, about))))
        if wait_s == 0:
            return ModelVersion.from_json(made)
        return (yield from self.wait_ready(made["model"], made["version"], wait_s, told))

    def wait_ready(
        self, name: str, version: int, timeout_s: float | None, told: VersionTold | None
    ) -> Flow[ModelVersion]:
        path = version_path(name, version)
        found = yield from self._ended(
            path,
            ModelVersion.from_json,
            lambda one: one.checked,
            name=f"Version {version} of model {name}",
            timeout_s=timeout_s,
            told=told,
        )
        if found.state == "refused":
            raise ModelRefused(found)
        return found

    def versions(self, name: str) -> Flow[list[ModelVersion]]:
        return self._rows(path_of(name, "versions"), ModelVersion.from_json)

    def version(self, name: str, version: int) -> Flow[ModelVersion]:
        return self._calls.shaped(Request("GET", version_path(name, version)), ModelVersion.from_json)

    def change(self, name: str, version: int, changes: VersionChanges) -> Flow[ModelVersion]:
        request = Request("PATCH", version_path(name, version), json=dict(changes))
        return self._calls.shaped(request, ModelVersion.from_json)

    def retire(self, name: str, version: int) -> Flow[ModelVersion]:
        return self._calls.shaped(Request("POST", version_path(name, version, "retire")), ModelVersion.from_json)

    def delete_version(self, name: str, version: int) -> Flow[None]:
        yield from self._calls.ask(Request("DELETE", version_path(name, version)))

    # Aliases

    def aliases(self, name: str) -> Flow[list[Alias]]:
        return self._rows(path_of(name, "aliases"), Alias.from_json)

    def move_alias(self, name: str, alias: str, version: int, if_version: int | None) -> Flow[Alias]:
        body = {"version": version} | ({} if if_version is None else {"if_version": if_version})
        return self._calls.shaped(Request("PUT", path_of(name, "aliases", alias), json=body), Alias.from_json)

    def rollback(self, name: str, alias: str, key: str | None) -> Flow[Alias]:
        request = Request("POST", path_of(name, "aliases", alias, "rollback"), headers=key_header(key))
        return self._calls.shaped(request, Alias.from_json)

    def history(self, name: str, alias: str, at: datetime | None) -> Flow[list[Alias]]:
        query = {"at": at.astimezone().isoformat()} if at else {}
        return self._rows(path_of(name, "aliases", alias, "history"), Alias.from_json, query)

    def delete_alias(self, name: str, alias: str) -> Flow[None]:
        yield from self._calls.ask(Request("DELETE", path_of(name, "aliases", alias)))

    # Variants and tasks

    def variants(self, name: str, version: int) -> Flow[list[Variant]]:
        return self._rows(version_path(name, version, "variants"), Variant.from_json)

    def add_variant(
        self, name: str, version: int, file: Source, *, precision: str, progress: Progress | None, key: str | None
    ) -> Flow[ModelTask]:
        request = Request(
            "POST",
            version_path(name, version, "variants"),
            form={"precision": precision},
            file=file_part(file, progress=progress),
            headers=key_header(key),
        )
        return ModelTask.from_json(json_of((yield from self._with_file(request))))

    def use_variant(
        self, name: str, version: int, variant: str, *, alias: str, if_version: int | None
    ) -> Flow[Mapping[str, Any]]:
        body = {"alias": alias} | ({} if if_version is None else {"if_version": if_version})
        return self._judge_variant(name, version, variant, "use", body)

    def refuse_variant(self, name: str, version: int, variant: str) -> Flow[Mapping[str, Any]]:
        return self._judge_variant(name, version, variant, "refuse", None)

    def _judge_variant(
        self, name: str, version: int, variant: str, verdict: str, body: Mapping[str, Any] | None
    ) -> Flow[Mapping[str, Any]]:
        path = version_path(name, version, "variants", variant, verdict)
        return self._calls.body(Request("POST", path, json=body, headers=key_header(None)))

    def optimize(self, name: str, version: int, options: Mapping[str, Any], key: str | None) -> Flow[ModelTask]:
        path = version_path(name, version, "optimize")
        request = Request("POST", path, json=dict(options), headers=key_header(key))
        return ModelTask.from_json(json_of((yield from self._calls.ask(request, outage_s=RESTART_S))))

    def task(self, name: str, task: str) -> Flow[ModelTask]:
        return self._calls.shaped(Request("GET", path_of(name, "tasks", task)), ModelTask.from_json)

    def wait_task(self, name: str, task: str, timeout_s: float | None, told: TaskTold | None) -> Flow[ModelTask]:
        path = path_of(name, "tasks", task)
        found = yield from self._ended(
            path,
            ModelTask.from_json,
            lambda one: one.ended,
            name=f"Task {task}",
            timeout_s=timeout_s,
            told=told,
        )
        if found.state != "succeeded":
            raise TaskFailed(found)
        return found

    def cancel_task(self, name: str, task: str) -> Flow[ModelTask]:
        return self._calls.shaped(Request("POST", path_of(name, "tasks", task, "cancel")), ModelTask.from_json)

    # Execution

    def _with_file(self, request: Request) -> Flow[Reply]:
        """Send a request with the file of a model. A large file is sent ahead of it, in parts."""
        part = request.file
        held_s = 0.0
        if part is not None and part.size_bytes > LARGE_BYTES:
            key = f"{request.headers['Idempotency-Key']}-file"
            upload = yield from self._calls.sending(part).model_file(key)
            held_s = LONGEST_JOIN_S
            request = replace(request, file=None, form={**request.form, "upload": upload}, held_s=held_s)
        return (yield from self._calls.ask(request, outage_s=RESTART_S + held_s))

    def _rows(
        self, path: str, shape: Callable[[Mapping[str, Any]], T], query: Mapping[str, str | int] | None = None
    ) -> Flow[list[T]]:
        body = yield from self._calls.body(Request("GET", path, query or {}))
        return [shape(row) for row in body["data"]]

    def _ended(
        self,
        path: str,
        shape: Callable[[Mapping[str, Any]], W],
        ended: Callable[[W], bool],
        *,
        name: str,
        timeout_s: float | None,
        told: Callable[[W], None] | None,
    ) -> Flow[W]:
        """Ask for something until it has ended. The service holds no answer back."""
        budget = WaitBudget(self._calls.clock, timeout_s, LONGEST_ROUND_S)
        while True:
            asked = Request("GET", path)
            reply = yield from self._calls.ask(asked, outage_s=LONGEST_OUTAGE_S, within_s=budget.left_s())
            found = shape(json_of(reply))
            if told:
                told(found)
            if ended(found):
                return found
            if budget.left_s() <= 0:
                raise ModelTimedOut(found, name, budget.waited_s())
            pause_s = min(max(retry_after_of(reply), MIN_PAUSE_S), MAX_PAUSE_S)
            yield Pause(min(pause_s, budget.left_s()))
