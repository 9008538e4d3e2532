"""A pod of one container, which a thread keeps running and probes, as a kubelet does, until it is deleted."""

import subprocess
import threading
import time
from typing import Any

from tests.deploy.kubernetes.containers import Container, Sandbox
from tests.deploy.kubernetes.probes import Watched, probe_of

LOOK_EVERY_S = 0.1
RESTARTED_AFTER_S = 1.0
"""Seconds until a container that ended is started again. A kubelet begins with ten."""

AGAIN_S = 0.3


class Pod:
    def __init__(self, declared: dict[str, Any], sandbox: Sandbox, container: Container) -> None:
        self._declared = declared
        self._grace_s = float(sandbox.spec.get("terminationGracePeriodSeconds", 30))
        self._deleted = threading.Event()
        self._thread = threading.Thread(target=self._live, name=sandbox.pod)
        self._process: subprocess.Popen[bytes] | None = None
        self._in_haste = False
        self.name, self.ip = sandbox.pod, sandbox.ip
        self.container = container
        self.ready = False
        self.restarts: list[str] = []
        """Why the container was started again, each time."""
        self.deleted_s: float | None = None
        self.killed = False
        """Set if the container did not end within its grace period."""
        self.stopped_within_s = 0.0

    def start(self) -> None:
        self._thread.start()

    def delete(self, *, in_haste: bool = False) -> None:
        """Ask the container to end. In haste, it is asked again and again: the product then leaves out its draining."""
        self._in_haste = in_haste
        self.deleted_s = time.monotonic()
        self._deleted.set()

    def wait_until_gone(self) -> None:
        self._thread.join()

    @property
    def output(self) -> str:
        return self.container.log.read_text(errors="replace") if self.container.log.exists() else ""

    def _live(self) -> None:
        while not self._deleted.is_set():
            self._process = self.container.start()
            reason = self._watch(self._process)
            if not self._deleted.is_set():
                self.ready = False
                self.restarts.append(reason)
                self._end(self._process)
                self._deleted.wait(RESTARTED_AFTER_S)
        if self._process is not None:
            self._end(self._process)
        self.ready = False

    def _watch(self, process: "subprocess.Popen[bytes]") -> str:
        """Probe the container until it ends, must be ended or is deleted, and return why."""
        startup, readiness, liveness = (
            Watched(probe_of(self._declared, f"{name}Probe")) for name in ("startup", "readiness", "liveness")
        )
        while not self._deleted.wait(LOOK_EVERY_S):
            now_s = time.monotonic()
            if process.poll() is not None:
                return f"it ended with status {process.returncode}"
            if not startup.ok:
                if startup.look(self.ip, now_s):
                    return "its startup probe failed"
                continue
            readiness.look(self.ip, now_s)
            self.ready = readiness.ok
            if liveness.look(self.ip, now_s):
                return "its liveness probe failed"
        return "it was deleted"

    def _end(self, process: "subprocess.Popen[bytes]") -> None:
        began_s = time.monotonic()
        process.terminate()
        for _ in range(2 if self._in_haste else 0):
            time.sleep(AGAIN_S)
            process.terminate()
        try:
            process.wait(self._grace_s)
        except subprocess.TimeoutExpired:
            self.killed = True
            process.kill()
            process.wait()
        self.stopped_within_s = time.monotonic() - began_s
