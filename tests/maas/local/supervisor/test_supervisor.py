"""Children are watched, restarted, and stopped in order; none outlives its supervisor."""

import asyncio
import os
import signal
import subprocess
import sys
import time

import pytest

from maas.local.supervisor.children import StopPhase
from maas.local.supervisor.processes import wait_until_gone
from maas.local.supervisor.supervisor import KILL_GRACE_S
from maas.process.errors import ChildKeepsFailing, StepFailed
from tests.maas.local.supervisor.programs import is_running, program, supervised, until

SLEEPER = "import time; print('up'); time.sleep(60)"
PARENT_OF_ONE = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]{options})
print("child", child.pid)
time.sleep(60)
"""
STUBBORN = "import signal, time; signal.signal(15, signal.SIG_IGN); print('up'); time.sleep(60)"
OWNER_OF_TWO = """
import asyncio, sys
from tests.maas.local.supervisor.programs import Shown, program
from maas.local.supervisor.supervisor import Supervisor
async def main():
    async with Supervisor(Shown()) as supervisor:
        for name in ("one", "two"):
            supervisor.start(program(name, "import time; time.sleep(60)"))
            print(supervisor.pid(name), flush=True)
        await asyncio.sleep(60)
asyncio.run(main())
"""


def test_output_is_shown_with_the_name_of_its_program() -> None:
    async def scenario() -> None:
        async with supervised() as (supervisor, console):
            supervisor.start(program("web", SLEEPER))
            assert await console.shows("up") == "web       | up"

    asyncio.run(scenario())


def test_crashed_child_is_started_again_and_said() -> None:
    async def scenario() -> None:
        async with supervised() as (supervisor, console):
            supervisor.start(program("worker", SLEEPER))
            await console.shows("| up")
            first = supervisor.pid("worker")
            assert first is not None
            os.kill(first, signal.SIGKILL)
            said = await console.shows("was ended by SIGKILL")
            assert f"worker (process {first})" in said
            await console.shows("worker is started again")
            assert supervisor.pid("worker") not in {None, first}

    asyncio.run(scenario())


def test_child_that_cannot_stay_up_ends_the_wait_for_it() -> None:
    async def scenario() -> None:
        async with supervised() as (supervisor, console):
            supervisor.start(program("web", "raise SystemExit(3)"))
            await console.shows("ended with exit status 3", times=3)
            with pytest.raises(ChildKeepsFailing, match="web ended 3 times"):
                supervisor.require_alive("web")

    asyncio.run(scenario())


def test_step_that_fails_says_so_after_its_output() -> None:
    async def scenario() -> None:
        async with supervised() as (supervisor, console):
            with pytest.raises(StepFailed, match="migrate ended with exit status 2"):
                await supervisor.run(program("migrate", "print('no table'); raise SystemExit(2)"))
            assert console.lines == ["migrate   | no table"]

    asyncio.run(scenario())


def test_program_that_does_not_exist_is_a_clear_error() -> None:
    async def scenario() -> None:
        async with supervised() as (supervisor, _):
            spec = program("web", "")
            with pytest.raises(StepFailed, match="web cannot be started"):
                supervisor.start(type(spec)("web", ("/does/not/exist",), {}))

    asyncio.run(scenario())


def test_serving_ends_before_the_queue_and_the_queue_before_the_database() -> None:
    # The program writes past Python's buffers, since the signal may come while the first word is still being printed.
    telling = (
        "import os, signal, time; signal.signal(15, lambda *_: (os.write(1, b'bye\\n'), os._exit(0)));"
        " os.write(1, b'up\\n'); time.sleep(60)"
    )

    async def scenario() -> list[str]:
        async with supervised() as (supervisor, console):
            for name, phase in (
                ("db", StopPhase.DATABASE),
                ("redis", StopPhase.QUEUE),
                ("web", StopPhase.SERVING),
            ):
                supervisor.start(program(name, telling, phase))
            await console.shows("up", times=3)
        return [line.split()[0] for line in console.lines if "bye" in line]

    assert asyncio.run(scenario()) == ["web", "redis", "db"]


def test_stop_in_which_every_phase_is_late_takes_less_than_ten_seconds() -> None:
    assert sum(phase.value + KILL_GRACE_S for phase in StopPhase) <= 9.5


def test_child_that_ignores_the_stop_is_killed_after_its_grace() -> None:
    async def scenario() -> float:
        async with supervised() as (supervisor, console):
            supervisor.start(program("queue", STUBBORN, StopPhase.QUEUE))
            await console.shows("up")
            pid = supervisor.pid("queue")
            assert pid is not None
            started = time.monotonic()
            await supervisor.stop()
            assert not is_running(pid)
            return time.monotonic() - started

    assert asyncio.run(scenario()) < StopPhase.QUEUE.value + 2


@pytest.mark.parametrize("options", ["", ", start_new_session=True"], ids=["same group", "own session"])
def test_grandchildren_do_not_outlive_the_stop(options: str) -> None:
    async def scenario() -> int:
        async with supervised() as (supervisor, console):
            supervisor.start(program("web", PARENT_OF_ONE.replace("{options}", options)))
            return int((await console.shows("child")).split()[-1])

    assert wait_until_gone(asyncio.run(scenario()), 2)


def test_crash_takes_the_rest_of_the_group_with_it() -> None:
    """A web worker left behind would go on answering on the port of its successor."""

    async def scenario() -> None:
        async with supervised() as (supervisor, console):
            supervisor.start(program("web", PARENT_OF_ONE.replace("{options}", "")))
            grandchild = int((await console.shows("child")).split()[-1])
            leader = supervisor.pid("web")
            assert leader is not None
            os.kill(leader, signal.SIGKILL)
            await until(lambda: not is_running(grandchild))

    asyncio.run(scenario())


def test_killed_supervisor_leaves_nothing_running() -> None:
    owner = subprocess.Popen([sys.executable, "-c", OWNER_OF_TWO], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    children = [int(owner.stdout.readline()), int(owner.stdout.readline())]
    owner.kill()
    owner.wait()
    owner.stdout.close()
    assert all(wait_until_gone(pid, 2) for pid in children)
