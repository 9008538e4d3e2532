"""Tests that work on own models, and moves of their aliases, survive processes that are killed in the middle."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise
from secrets import token_hex

import httpx
import psutil  # type: ignore[import-untyped]
import pytest

from tests.live_stack import LiveStack
from tests.samples.adders import adder
from tests.samples.hostile_models import FOREVER, Feeds, looping, patient
from tests.waiting import eventually

from .caller import Json
from .conftest import LEASE_S
from .own_models import Developer
from .product import Product

pytestmark = pytest.mark.xdist_group("crashes")
RUN_S = 180.0
CALLERS = 16
MOVES = 12
ROW: Feeds = {"x": ("FP32", [1, 4], [1.0] * 4)}
ENDLESS: Feeds = {"times": ("INT64", [1], [FOREVER]), "x": ("FP32", [1], [1.0])}
SHORT: Feeds = {"times": ("INT64", [1], [1]), "x": ("FP32", [1], [1.0])}
ENDED = frozenset({"succeeded", "failed", "canceled"})
_COLLECT = """
from datetime import timedelta
from inference.registry import collecting
collecting.KEPT = timedelta(0)
while collecting.collect_strays():
    pass
"""
_REFERRED = """
SELECT file.value ->> 'file' FROM inference_modelversion v, jsonb_each(v.artifacts) file
UNION SELECT artifact ->> 'file' FROM inference_modelvariant
"""


@pytest.fixture(scope="module")
def product(victim: tuple[LiveStack, Product]) -> Product:
    return victim[1]


@pytest.fixture(scope="module")
def developer(product: Product) -> Iterator[Developer]:
    with Developer(product, product.create_account("Crashes")) as developer:
        yield developer


def test_a_worker_killed_in_the_middle_of_a_check_leaves_it_to_the_next(developer: Developer, product: Product) -> None:
    uploaded = developer.upload_model(patient(3_000_000))
    model = uploaded["model"]
    eventually(lambda: "sandbox" in stage_of(developer.version(model, 1)), "the trial of the file", RUN_S)
    worker = product.process("worker")
    below = worker.children(recursive=True)
    worker.kill()
    assert_ended(below)
    assert developer.checked(model, 1, LEASE_S + RUN_S)["state"] == "ready"
    tasks = product.rows("SELECT state, attempt FROM inference_modeltask WHERE id = %s", uploaded["task"])
    assert tasks == [("succeeded", 2)]
    assert [move["version"] for move in moves(developer, model)] == [1]
    assert_all_files_have_rows(product)


@pytest.mark.parametrize("victims", ["the process of the task", "its worker"])
def test_an_optimization_that_is_killed_is_made_again(victims: str, developer: Developer, product: Product) -> None:
    model = developer.ready_model(adder(1))["model"]
    task = developer.http.post(f"/v1/models/{model}/versions/1/optimize", json={"transformations": ["optimize"]}).json()
    eventually(lambda: "comparing" in stage_of(developer.get(task["url"])), "the comparison of a variant", RUN_S)
    process = product.process("model_task")
    below = [process, *process.children(recursive=True)]
    (process if victims == "the process of the task" else product.process("worker")).kill()
    assert_ended(below)
    ended = eventually(lambda: task_that_ended(developer, task["url"]), "the end of the task", LEASE_S + RUN_S)
    assert (ended["state"], [one["transformation"] for one in ended["result"]["transformations"]]) == (
        "succeeded",
        ["optimize"],
    )
    variants = developer.get(f"/v1/models/{model}/versions/1/variants")["data"]
    assert [variant["id"] for variant in variants] == [
        one["variant"] for one in ended["result"]["transformations"] if "variant" in one
    ]
    eventually(lambda: not product.processes("model_task"), "the end of the process of the task", RUN_S)
    assert_all_files_have_rows(product)


def stage_of(described: Json) -> str:
    return str((described.get("progress") or {}).get("stage", ""))


def task_that_ended(developer: Developer, url: str) -> Json | None:
    task = developer.get(url)
    return task if task["state"] in ENDED else None


def assert_ended(processes: list[psutil.Process]) -> None:
    def are_gone() -> bool:
        return not any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in processes)

    eventually(are_gone, f"the end of {processes}", RUN_S)


def assert_all_files_have_rows(product: Product) -> None:
    assert product.manage("shell", "-c", _COLLECT).returncode == 0
    referred = {product.home / "files" / name for (name,) in product.rows(_REFERRED)}
    assert product.files_under("files/models") == referred


def moves(developer: Developer, model: str) -> list[Json]:
    return list(developer.get(f"/v1/models/{model}/aliases/current/history")["data"])


@dataclass
class Traffic:
    """Callers of a model whose alias moves, and what came of their calls."""

    url: str
    key: str
    model: str
    wrong: list[str] = field(default_factory=list)
    cut_off_s: list[float] = field(default_factory=list)
    """The times of the calls whose connection ended without a response."""
    answered: int = 0
    ended: threading.Event = field(default_factory=threading.Event)

    def call(self) -> None:
        body = {"inputs": [{"name": "x", "datatype": "FP32", "shape": [4, 4], "data": [1.0] * 16}]}
        headers = {"Authorization": f"Bearer {self.key}", "Cache-Control": "no-store"}
        with httpx.Client(base_url=self.url, headers=headers, timeout=RUN_S, trust_env=False) as http:
            while not self.ended.is_set():
                try:
                    answer = http.post(f"/v2/models/{self.model}/infer", json=body)
                except httpx.TransportError:
                    self.cut_off_s.append(time.monotonic())
                    continue
                self._look_at(answer)

    def _look_at(self, answer: httpx.Response) -> None:
        if answer.status_code != 200:
            self.wrong.append(f"{answer.status_code}: {answer.text[:200]}")
            return
        self.answered += 1
        if len(set(answer.json()["outputs"][0]["data"])) != 1:
            self.wrong.append(f"mixed: {answer.text[:200]}")


def test_web_processes_killed_in_the_middle_of_moves_leave_a_true_history(
    developer: Developer, product: Product
) -> None:
    model = f"moved-{token_hex(4)}"
    for added in (1, 2):
        developer.ready_model(adder(added), model)
    traffic = Traffic(developer.url, developer.key, model)
    threads = [threading.Thread(target=traffic.call) for _ in range(CALLERS)]
    for thread in threads:
        thread.start()
    killed_s = []
    for number in range(MOVES):
        if number in {3, 7}:
            child = product.process("maas.web_processes").children()[0]
            killed_s.append(time.monotonic())
            threading.Timer(0.005 * number, child.kill).start()
        move(developer, model, to=1 + number % 2)
    eventually(lambda: traffic.answered > 200, "answers after the kills", RUN_S)
    traffic.ended.set()
    for thread in threads:
        thread.join()
    assert not traffic.wrong
    assert all(any(-1 < at_s - kill_s < 10 for kill_s in killed_s) for at_s in traffic.cut_off_s)
    assert len(traffic.cut_off_s) <= 2 * CALLERS
    history = moves(developer, model)
    assert all(later["previous"] == earlier["version"] for later, earlier in pairwise(history))
    assert developer.get(f"/v1/models/{model}/aliases/current")["version"] == history[0]["version"]
    assert developer.get(f"/v1/models/{model}")["version"] == history[0]["version"]


def move(developer: Developer, model: str, *, to: int) -> None:
    """Move the alias as a careful program does: it compares, and looks again if the connection ends."""

    def is_moved() -> bool:
        now = developer.get(f"/v1/models/{model}/aliases/current")["version"]
        if now == to:
            return True
        body = {"version": to, "if_version": now}
        return developer.http.put(f"/v1/models/{model}/aliases/current", json=body).status_code == 200

    deadline_s = time.monotonic() + RUN_S
    while time.monotonic() < deadline_s:
        try:
            if is_moved():
                return
        except httpx.TransportError:
            continue
    raise AssertionError("the alias was not moved in time")


def test_a_version_paused_after_three_ends_of_its_process_runs_again_once_it_is_resumed(
    developer: Developer, product: Product
) -> None:
    model = developer.ready_model(looping(hidden=True))["model"]
    assert developer.infer(model, SHORT).status_code == 200
    for _ in range(3):
        answer = while_running(developer, model, lambda: host_that_runs(product).kill())
        assert "process of the model" in answer.text
    eventually(lambda: developer.version(model, 1)["paused_reason"], "the pause", RUN_S)
    assert "paused" in developer.infer(model, SHORT).text
    resumed = developer.http.patch(f"/v1/models/{model}/versions/1", json={"paused": False})
    assert (resumed.status_code, resumed.json()["paused_reason"]) == (200, None)
    eventually(lambda: developer.infer(model, SHORT).status_code == 200, "an answer", 10)


def while_running(developer: Developer, model: str, act: Callable[[], None]) -> httpx.Response:
    """Act while the model runs without end, and return the response to its caller."""
    with ThreadPoolExecutor(1) as threads, Developer.with_key(developer.url, developer.key) as other:
        response = threads.submit(other.infer, model, ENDLESS)
        act()
        return response.result()


def host_that_runs(product: Product) -> psutil.Process:
    """Return the process of the worker's that computes at low priority."""

    def look() -> psutil.Process | None:
        below = product.process("worker").children(recursive=True)
        return next((one for one in below if one.nice() > 0 and one.status() == psutil.STATUS_RUNNING), None)

    found: psutil.Process = eventually(look, "a run of the model", RUN_S)
    return found
