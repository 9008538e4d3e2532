"""Submit five times what the product can take, and measure which requests are accepted, how soon, and how it affects
others.

Run from the repository's root: python -m tests.benchmarks.bench_overload [--seconds 60] [--times 5] [--keys]. It first
measures how much is accepted without refusals. It then offers that many times over at a steady rate, as one tenant:
texts, one in ten as a file, and one request in five is a call that waits for its response. Another tenant submits a job
per second throughout. The load is produced by a separate process on the same machine, so the product has less than the
whole of it.
"""

import argparse
import asyncio
import json
import secrets
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil  # type: ignore[import-untyped]

from tests.benchmarks.circumstances import circumstances
from tests.benchmarks.overload_load import Answer, closed_loop, play
from tests.benchmarks.peers.ours import manage
from tests.live_stack import LiveStack, RunningStack

CAPACITY_S, CALLERS = 10.0, 8
QUEUE_AGE_S = 60
PRODUCT = {"MAAS_MAX_QUEUE_AGE_STANDARD_S": str(QUEUE_AGE_S), "MAAS_LOG_LEVEL": "WARNING"}
"""Settings of the product. The queue age is short, so that what is queued at the end is done within a minute."""
RECOVERY_S = 120.0
BURST_S = 5.0
SOON = 5
"""Jobs in a row that must be as quick as before the flood."""


class Requests:
    """The requests that a tenant sends, each of them new."""

    def __init__(self, key: str, *, named: bool) -> None:
        self._key = key
        self._named = named
        self._count = 0

    def mixed(self) -> bytes:
        self._count += 1
        if self._count % 5 == 0:
            return self._post("/v1/embeddings", {"model": "embed", "input": _text()})
        return self.file() if self._count % 10 == 1 else self.text()

    def text(self) -> bytes:
        return self._post("/v1/jobs", {"model": "embed", "input": {"text": _text()}})

    def file(self) -> bytes:
        part = 'Content-Disposition: form-data; name="{}"{}\r\n\r\n{}\r\n'
        parts = (part.format("model", "", "embed"), part.format("file", '; filename="a.txt"', _text()))
        body = "".join(f"--b\r\n{one}" for one in parts) + "--b--\r\n"
        return self._head("/v1/jobs", "multipart/form-data; boundary=b", body.encode())

    def _post(self, path: str, body: object) -> bytes:
        return self._head(path, "application/json", json.dumps(body).encode())

    def _head(self, path: str, content_type: str, body: bytes) -> bytes:
        name = f"Idempotency-Key: {secrets.token_hex(8)}\r\n" if self._named and path == "/v1/jobs" else ""
        head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self._key}\r\n{name}"
            f"Cache-Control: no-store\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body


def _text() -> str:
    return f"invoice {secrets.token_hex(6)} of the month"


@dataclass
class Bystander:
    """Another tenant, which measures how soon its jobs are accepted and done."""

    url: str
    key: str
    accepted_s: list[float] = field(default_factory=list)
    done_s: list[float] = field(default_factory=list)
    refused: int = 0

    def job(self, client: httpx.Client) -> bool:
        headers = {"Authorization": f"Bearer {self.key}", "Cache-Control": "no-store"}
        body = {"model": "embed", "input": {"text": _text()}}
        began_s = time.monotonic()
        answer = client.post(f"{self.url}/v1/jobs", json=body, headers=headers)
        if answer.status_code != 202:
            self.refused += 1
            return False
        self.accepted_s.append(time.monotonic() - began_s)
        headers["Prefer"] = "wait=30"
        seen = client.get(f"{self.url}/v1/jobs/{answer.json()['id']}", headers=headers)
        if seen.json().get("state") == "succeeded":
            self.done_s.append(time.monotonic() - began_s)
        return True

    @contextmanager
    def watching(self) -> Iterator[None]:
        stop = threading.Event()

        def watch() -> None:
            with httpx.Client(timeout=60, trust_env=False) as client:
                while not stop.wait(1.0):
                    self.job(client)

        thread = threading.Thread(target=watch)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


def spread(values: Sequence[float]) -> str:
    p50, p99 = (1000 * percentile(values, share) for share in (0.5, 0.99))
    return f"p50 {p50:.0f} ms, p99 {p99:.0f} ms of {len(values)}"


def resident(product: RunningStack) -> dict[str, float]:
    """Return the resident MB of each process with all its children."""
    found = {}
    for name, words in {
        "web": ("maas.web_processes",),
        "worker": ("worker",),
        "scheduler": ("scheduler",),
    }.items():
        sizes = []
        for process in psutil.process_iter():
            try:
                ours = process.environ().get("MAAS_HOME") == str(product.home)
                if ours and set(words) <= set(process.cmdline()):
                    sizes.append(process.memory_info().rss)
            except psutil.Error:
                continue
        found[name] = sum(sizes) / 2**20
    return found


def _late(jobs: Sequence[Answer], *, files: bool | None = None) -> list[float]:
    """Return the times without the burst that an idle product accepts. `files` selects only files, only texts, or
    all.
    """
    began_s = min((one.at_s for one in jobs), default=0.0)
    accepted = [one for one in jobs if one.status == 202 and one.at_s - began_s > BURST_S]
    return [one.seconds for one in accepted if files in (None, b'"document":null' not in one.body)]


def tell_flood(answers: Sequence[Answer], unsent: int, late_s: float) -> None:
    jobs = [one for one in answers if one.status != 200]
    accepted = [one.seconds for one in jobs if one.status == 202]
    refused = [one for one in answers if one.status in (429, 503)]
    statuses = Counter(one.status for one in answers)
    codes = Counter(json.loads(one.body).get("code", "?") for one in refused if one.body.startswith(b'{"type"'))
    print(f"answers: {dict(statuses)}; refusals by code: {dict(codes)}; without a connection {unsent}")
    print(f"share accepted {len(accepted) / max(1, len(jobs)):.0%}")
    print(f"accepted jobs: {spread(accepted)}")
    print(f"of them after the first {BURST_S:g} s: {spread(_late(jobs))}")
    print(f"so texts: {spread(_late(jobs, files=False))}; files: {spread(_late(jobs, files=True))}")
    print(f"calls that were answered: {spread([one.seconds for one in answers if one.status == 200])}")
    print(f"refusals: {spread([one.seconds for one in refused])}; the caller itself was late by {late_s:.1f} s at most")
    without = sum(one.retry_after is None for one in refused)
    odd = {status for status in statuses if status not in (200, 202, 429, 503)}
    print(f"refusals without Retry-After: {without}; other answers: {sorted(odd) or 'none'}")


def recovery(own: Bystander, usual_s: float) -> float:
    """Return the seconds until jobs of the tenant that flooded are as quick as before."""
    began_s, soon = time.monotonic(), 0
    with httpx.Client(timeout=60, trust_env=False) as client:
        while time.monotonic() - began_s < RECOVERY_S:
            before = len(own.done_s)
            own.job(client)
            quick = len(own.done_s) > before and own.done_s[-1] < 2 * usual_s
            soon = soon + 1 if quick else 0
            if soon == SOON:
                return time.monotonic() - began_s
            time.sleep(0.2)
    return float("inf")


def other_key(product: RunningStack) -> str:
    made = manage(product.home, "tenant_create", "--name=Bystander", "--email=by@example.com")
    return str(json.loads(made)["api_key"])


def bench(product: RunningStack, seconds: float, times: float, *, named: bool) -> None:
    url, port = product.url, int(product.url.rpartition(":")[2])
    key = product.demo["MAAS_API_KEY"]
    mixed: Callable[[], bytes] = Requests(key, named=named).mixed
    other = Bystander(url, other_key(product))
    own = Bystander(url, key)
    with httpx.Client(timeout=60, trust_env=False) as client:
        for _ in range(10):
            own.job(client)
        for _ in range(20):
            other.job(client)
    usual_s = percentile(other.done_s, 0.95)
    print(f"unloaded: accepted {spread(other.accepted_s)}, done {spread(other.done_s)}")
    answers = asyncio.run(closed_loop(port, CALLERS, CAPACITY_S, mixed))
    rate = sum(one.status in (200, 202) for one in answers) / CAPACITY_S
    print(f"capacity: {rate:.0f}/s with {CALLERS} callers, {Counter(one.status for one in answers)}")
    time.sleep(5)
    before = resident(product)
    other.accepted_s, other.done_s, other.refused = [], [], 0
    with other.watching():
        played = asyncio.run(play(port, times * rate, seconds, mixed))
    after = resident(product)
    print(f"offered {times:g} times that, {times * rate:.0f}/s, for {seconds:g} s")
    tell_flood(played.answers, played.unsent, played.late_s)
    print(
        f"another tenant meanwhile: accepted {spread(other.accepted_s)}, done {spread(other.done_s)}, "
        f"{other.refused} refused"
    )
    print(f"back to usual for the tenant that flooded after {recovery(own, usual_s):.1f} s")
    rest = resident(product)
    for name in before:
        print(f"memory of {name}: {before[name]:.0f} MB before, {after[name]:.0f} at the end, {rest[name]:.0f} after")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--times", type=float, default=5.0)
    parser.add_argument("--keys", action="store_true", help="with an Idempotency-Key for each job")
    options = parser.parse_args()
    print(circumstances())
    with tempfile.TemporaryDirectory(prefix="maas-overload-") as folder:
        home = Path(folder) / "var"
        with LiveStack(home, variables=PRODUCT) as stack:
            bench(stack.wait_until_ready(), options.seconds, options.times, named=options.keys)
    return 0


if __name__ == "__main__":
    sys.exit(main())
