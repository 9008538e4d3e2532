"""Reads the jobs of a run as their owner does, over the API."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress

import httpx

from .books import Seen

EMAIL, PASSWORD = "owner@chaos.example.com", "correct horse"
_AT_ONCE = 8
_TIMEOUT_S = 60.0
_PART = 200
_AGAIN_AFTER_S = 0.5


async def see_jobs(urls: Sequence[str], key: str, job_ids: Sequence[str]) -> dict[str, Seen | None]:
    """Return each job and its events, half of them from each web process."""
    seen: dict[str, Seen | None] = {}
    headers = {"Authorization": f"Bearer {key}"}
    left = iter(enumerate(job_ids))
    client = httpx.AsyncClient(headers=headers, timeout=_TIMEOUT_S, trust_env=False)
    async with client, asyncio.TaskGroup() as lookers:
        for _ in range(_AT_ONCE):
            lookers.create_task(_look(client, urls, left, seen))
    return seen


async def tenants_secret(url: str, key: str) -> str:
    """Return the secret that signs messages to jobs' own addresses."""
    async with httpx.AsyncClient(timeout=_TIMEOUT_S, trust_env=False) as client:
        answer = await client.get(f"{url}/v1/webhooks/secret", headers={"Authorization": f"Bearer {key}"})
        return str(answer.raise_for_status().json()["secret"])


async def _look(
    client: httpx.AsyncClient,
    urls: Sequence[str],
    left: Iterator[tuple[int, str]],
    seen: dict[str, Seen | None],
) -> None:
    for place, job_id in left:
        seen[job_id] = await _see(client, f"{urls[place % len(urls)]}/v1/jobs/{job_id}")


async def _see(client: httpx.AsyncClient, url: str) -> Seen | None:
    answer = await _told(client, url)
    if answer.status_code != 200:
        return None
    job = answer.json()
    return Seen(str(job["state"]), int(job["cost"]["amount_micros"]), await _events(client, f"{url}/events"))


async def _told(client: httpx.AsyncClient, url: str) -> httpx.Response:
    """Send the request again while the response says to retry, because the machine may be busy."""
    deadline = time.monotonic() + _TIMEOUT_S
    while True:
        with suppress(httpx.TransportError):
            answer = await client.get(url)
            if answer.status_code not in {429, 503} or time.monotonic() > deadline:
                return answer
        if time.monotonic() > deadline:
            raise TimeoutError(f"nobody answers for {url}")
        await asyncio.sleep(_AGAIN_AFTER_S)


async def _events(client: httpx.AsyncClient, url: str) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    more = True
    while more:
        after = found[-1][0] if found else 0
        part = (await _told(client, f"{url}?after={after}&limit={_PART}")).json()
        found += [(int(event["seq"]), str(event["type"])) for event in part["data"]]
        more = bool(part["has_more"])
    return found
