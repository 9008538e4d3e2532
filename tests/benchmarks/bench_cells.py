"""Send mixed requests over two whole cells that are cut now and then, look for foreign data, and measure forwarding.

Run from the repository's root: python -m tests.benchmarks.bench_cells [--requests 10000] [--callers 16] [--pairs 2000].
Cells are 80 ms apart for the first part, and not apart at all for the second, where each request is sent to the home
cell and through the other cell in turn, each over one connection. Both pass the same link, so the difference is the
other cell.
"""

import argparse
import json
import random
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median, quantiles

import httpx

from tests.benchmarks.circumstances import circumstances
from tests.maas.web.cells.whole_cells import WholeCell, whole_cells

ONE_WAY_S = 0.04
CUT_S, BETWEEN_S = 1.0, 6.0
SEED = 31
EXPECTED = {"cell_unreachable", "cell_connection_lost"}


def marker_of(cell: WholeCell) -> str:
    return f"belongs-to-{cell.name}-alone"


def kinds(marker: str, number: int) -> dict[str, Callable[[httpx.Client], httpx.Response]]:
    text = f"{marker} {number}"
    return {
        "call": lambda http: http.post("/v1/embeddings", json={"model": "embed", "input": text}),
        "upload": lambda http: http.post("/v1/documents", files={"file": (f"{marker}-{number}.txt", text.encode())}),
        "job": lambda http: http.post(
            "/v1/jobs", data={"model": "parse"}, files={"file": (f"{marker}-{number}.txt", text.encode())}
        ),
        "jobs": lambda http: http.get("/v1/jobs?limit=20"),
        "events": lambda http: http.get("/v1/events?limit=20"),
        "search": lambda http: http.get("/v1/search", params={"q": marker}),
    }


def outcome_of(answer: httpx.Response) -> str:
    if answer.status_code < 400:
        return "answered"
    try:
        return str(answer.json()["error"]["code"])
    except (ValueError, LookupError, TypeError):
        return str(answer.status_code)


def mixed(both: tuple[WholeCell, WholeCell], requests: int, callers: int) -> dict[str, object]:
    """Send the requests. Every answer is searched for the other account's marker."""
    ended = threading.Event()
    cutting = threading.Thread(target=_cut_now_and_then, args=(both, ended))
    cutting.start()
    outcomes: Counter[str] = Counter()
    foreign = 0

    def send(number: int) -> tuple[str, bool]:
        pick = random.Random(SEED + number)
        home, other = pick.sample(both, 2)
        at = pick.choice(both)
        chosen = kinds(marker_of(home), number)
        kind = pick.choice(sorted(chosen))
        headers = {"Authorization": f"Bearer {home.key}"}
        with httpx.Client(base_url=at.url, headers=headers, timeout=60, trust_env=False) as http:
            way = "direct" if at is home else "forwarded"
            try:
                answer = chosen[kind](http)
            except httpx.HTTPError as error:
                return f"{way} {type(error).__name__}", False
        return f"{way} {outcome_of(answer)}", marker_of(other) in answer.text

    try:
        with ThreadPoolExecutor(callers) as threads:
            for outcome, is_foreign in threads.map(send, range(requests)):
                outcomes[outcome] += 1
                foreign += is_foreign
    finally:
        ended.set()
        cutting.join()
    one, other = both
    places = [*one.places_of(marker_of(other)), *other.places_of(marker_of(one))]
    at_home = bool(one.places_of(marker_of(one))) and bool(other.places_of(marker_of(other)))
    return {
        "requests": requests,
        "outcomes": dict(sorted(outcomes.items())),
        "foreign_answers": foreign,
        "foreign_places": places,
        "own_data_found_at_home": at_home,
    }


def _cut_now_and_then(both: tuple[WholeCell, WholeCell], ended: threading.Event) -> None:
    while not ended.wait(BETWEEN_S):
        for cell in both:
            cell.link.cut()
        ended.wait(CUT_S)
        for cell in both:
            cell.link.heal()


def added(home: WholeCell, other: WholeCell, pairs: int) -> dict[str, dict[str, float]]:
    """Return the milliseconds of requests to the home cell and through the other cell, without a delay between them."""
    found = {}
    headers = {"Authorization": f"Bearer {home.key}"}
    sent: dict[str, Callable[[httpx.Client], httpx.Response]] = {
        "GET /v1/jobs": lambda http: http.get("/v1/jobs?limit=1"),
        "POST /v1/embeddings, cached": lambda http: http.post("/v1/embeddings", json={"model": "embed", "input": "a"}),
    }
    with (
        httpx.Client(base_url=home.link.url, headers=headers, trust_env=False, timeout=60) as direct,
        httpx.Client(base_url=other.url, headers=headers, trust_env=False, timeout=60) as through,
    ):
        for name, send in sent.items():
            times: dict[str, list[float]] = {"direct": [], "forwarded": []}
            for _ in range(pairs):
                for way, http in (("direct", direct), ("forwarded", through)):
                    began_s = time.perf_counter()
                    answer = send(http)
                    times[way].append((time.perf_counter() - began_s) * 1000)
                    assert answer.status_code == 200, answer.text
            p50 = {way: median(values) for way, values in times.items()}
            found[name] = {
                **{f"{way}_p50_ms": round(value, 2) for way, value in p50.items()},
                **{f"{way}_p95_ms": round(quantiles(values, n=20)[-1], 2) for way, values in times.items()},
                "added_p50_ms": round(p50["forwarded"] - p50["direct"], 2),
            }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--callers", type=int, default=16)
    parser.add_argument("--pairs", type=int, default=2_000)
    given = parser.parse_args()
    print(circumstances())
    with (
        tempfile.TemporaryDirectory(prefix="maas-cells-") as folder,
        whole_cells(Path(folder), one_way_s=ONE_WAY_S) as both,
    ):
        result: dict[str, object] = {"mixed": mixed(both, given.requests, given.callers)}
        for cell in both:
            cell.link.set_delay(0.0)
        result["forwarding"] = added(*both, given.pairs)
    print(json.dumps(result, indent=1))
    found = result["mixed"]
    assert isinstance(found, dict)
    if found["foreign_answers"] or found["foreign_places"] or not found["own_data_found_at_home"]:
        raise SystemExit("foreign data was found, or none at all")


if __name__ == "__main__":
    main()
