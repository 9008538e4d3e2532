"""Tests of the commands that optimize a model of the installation, use a variant and go back."""

from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from threading import Event, Thread

import pytest
from django.core.management import CommandError, call_command
from django.db import connections

from inference.core.calls import Call
from inference.models import ModelTask
from inference.registry.selectors import find_version
from inference.registry.task_runs import run_task
from inference.registry.tasks.claims import claim_task
from tenants.core.db.unit_of_work import operator_work
from tests.fixtures import unique
from tests.inference.runtime.graphs import save_adder


@pytest.fixture
def name(tmp_path: Path) -> str:
    name = unique("optimized")
    call_command("models", "add", save_adder(tmp_path / "adder.onnx"), "--name", name, stdout=StringIO(), verbosity=0)
    return name


@pytest.fixture
def worker() -> Iterator[None]:
    """Run a worker for optimizations."""
    with operator_work():
        ModelTask.objects.filter(state="queued").update(state="canceled")
    stop = Event()

    def work() -> None:
        while not stop.wait(0.05):
            if (claim := claim_task("worker", (ModelTask.Kind.OPTIMIZE,))) is not None:
                run_task(claim, Call(), passes=lambda _: False)
        connections.close_all()

    thread = Thread(target=work)
    thread.start()
    yield
    stop.set()
    thread.join()


def run(*arguments: str) -> str:
    said = StringIO()
    call_command("models", *arguments, stdout=said, verbosity=0)
    return said.getvalue()


@pytest.mark.usefixtures("worker")
def test_a_variant_is_made_used_and_left_again(name: str) -> None:
    said = run(
        "optimize", name, "--transformation", "slim", "--transformation", "dynamic-int8", "--transformation", "settings"
    )
    lines = [line.split("\t") for line in said.splitlines()]
    assert ["slim", "admitted"] in [line[:2] for line in lines]
    assert any(line[0] == "dynamic-int8" and line[1].startswith("not offered: ") for line in lines)
    assert any(line[0] == "settings" and line[1].startswith("best with ") for line in lines)
    with operator_work():
        task = ModelTask.objects.get(version__served_model__name=name, kind=ModelTask.Kind.OPTIMIZE)
    assert task.done == task.total > 0
    variant_id = next(line[2] for line in lines if line[0] == "slim")
    assert run("use", f"{name}@1", "--variant", variant_id) == f"{name}@current is version 2 now\n"
    assert find_version(name, tenant_id=None).number == 2
    assert run("rollback", name) == f"{name}@current is version 1 now\n"
    assert run("use", f"{name}@2", "--alias", "champion") == f"{name}@champion is version 2 now\n"
    assert (find_version(name, tenant_id=None).number, find_version(f"{name}@champion", tenant_id=None).number) == (
        1,
        2,
    )


def test_what_is_not_there_is_said(name: str) -> None:
    with pytest.raises(CommandError, match="model_not_found"):
        run("optimize", unique("none"))
    with pytest.raises(CommandError, match="model_variant_not_found"):
        run("use", f"{name}@1", "--variant", "none")
    with pytest.raises(CommandError, match="nothing_to_roll_back"):
        run("rollback", name)
    with pytest.raises(CommandError, match=r"Use name@number\."):
        run("use", name)
