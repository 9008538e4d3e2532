"""A program with an API key, as a customer would write it."""

from types import TracebackType
from typing import Any, Self

import httpx

from jobs.core.states import TERMINAL
from tests.waiting import eventually

Json = dict[str, Any]
TIMEOUT_S = 90.0


class Caller:
    def __init__(self, url: str, key: str) -> None:
        """Connect to the product. Every page that this program sends is run, even if the same page was read before."""
        self.url = url
        self.key = key
        headers = {"Authorization": f"Bearer {key}", "Cache-Control": "no-store"}
        self.http = httpx.Client(base_url=url, headers=headers, timeout=TIMEOUT_S, trust_env=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.http.close()

    def upload(self, data: bytes, name: str = "scan.pdf") -> Json:
        return _expected(self.http.post("/v1/documents", files={"file": (name, data)}), 200, 201)

    def submit(self, model: str, **body: object) -> Json:
        return _expected(self.http.post("/v1/jobs", json={"model": model, **body}), 202)

    def submit_file(self, data: bytes, *, model: str = "parse", wait_s: int | None = None) -> httpx.Response:
        """Send what the printed curl command sends."""
        headers = {} if wait_s is None else {"Prefer": f"wait={wait_s}"}
        files = {"file": ("scan.pdf", data)}
        return self.http.post("/v1/jobs", data={"model": model}, files=files, headers=headers)

    def get(self, path: str, **parameters: str | int) -> Json:
        return _expected(self.http.get(path, params=parameters), 200)

    def job(self, job_id: str) -> Json:
        return self.get(f"/v1/jobs/{job_id}")

    def post(self, path: str, status: int) -> Json:
        return _expected(self.http.post(path), status)

    def ended(self, job_id: str, timeout_s: float = TIMEOUT_S) -> Json:
        """Wait until the job has ended in any state, and return it."""

        def look() -> Json | None:
            job = self.job(job_id)
            return job if job["state"] in TERMINAL else None

        return eventually(look, f"the end of job {job_id}", timeout_s)

    def pages(self, job_id: str) -> list[Json]:
        return list(self.get(f"/v1/jobs/{job_id}/pages", limit=200)["data"])

    def pages_in(self, job_id: str, state: str) -> list[int]:
        return [page["number"] for page in self.pages(job_id) if page["state"] == state]

    def events(self, job_id: str) -> list[Json]:
        """Return all events, read page by page as a client reads a long list."""
        found: list[Json] = []
        while True:
            after = found[-1]["seq"] if found else 0
            part = self.get(f"/v1/jobs/{job_id}/events", after=after, limit=50)
            found += part["data"]
            if not part["has_more"]:
                return found


def _expected(answer: httpx.Response, *statuses: int) -> Json:
    assert answer.status_code in statuses, f"{answer.status_code}: {answer.text[:500]}"
    return dict(answer.json())


def assert_problem(answer: httpx.Response, status: int, code: str) -> Json:
    """Check the shape that all refusals share, and that the response carries the request ID as well."""
    assert answer.status_code == status, answer.text[:500]
    assert answer.headers["content-type"] == "application/problem+json"
    problem = dict(answer.json())
    assert (problem["status"], problem["code"]) == (status, code), answer.text
    assert problem["detail"]
    assert problem["title"]
    assert problem["request_id"] == answer.headers["x-request-id"]
    return problem
