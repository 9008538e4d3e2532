"""What can go wrong, one class for each thing that a program does about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from maas_client.archives import Archive
    from maas_client.resources import Job, Result


class MaasError(Exception):
    """`code` is stable and for programs, `detail` is for people, `request_id` is for the operator."""

    def __init__(self, detail: str, *, code: str, status: int | None = None, request_id: str = "") -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code
        self.status = status
        """Of the HTTP answer; None when there was none."""
        self.request_id = request_id
        self.job_id: str | None = None
        """Of the job that was waited for. It goes on."""

    def __str__(self) -> str:
        asked = f", request {self.request_id}" if self.request_id else ""
        goes_on = f". Job {self.job_id} goes on; wait for it again" if self.job_id else ""
        return f"{self.detail} ({self.code}{asked}){goes_on}"


class NotConfigured(MaasError):
    """Address or key are missing, or cannot be what they are said to be."""


class ConnectionFailed(MaasError):
    """No answer came, however often it was tried."""

    def __init__(self, detail: str, *, unsent: bool = False) -> None:
        super().__init__(detail, code="connection_failed")
        self.unsent = unsent
        """The request surely never arrived."""


class AuthenticationError(MaasError):
    """401: the key is missing, wrong, expired or revoked."""


class PermissionDenied(MaasError):
    """403: the key is good and may not do this."""


class NotFound(MaasError):
    """404, or 410 for what has been erased."""


class Conflict(MaasError):
    """409: not in this state, or not yet."""

    def __init__(
        self,
        detail: str,
        *,
        code: str,
        status: int | None = None,
        request_id: str = "",
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(detail, code=code, status=status, request_id=request_id)
        self.retry_after = retry_after_s
        """Seconds, where asking again will do: another request with the same key is at work."""


class InvalidRequest(MaasError):
    """Any other 4xx: the request itself, its file or its parameters."""


class RateLimited(MaasError):
    """429."""

    def __init__(
        self, detail: str, *, code: str, status: int | None, request_id: str, retry_after_s: float | None
    ) -> None:
        super().__init__(detail, code=code, status=status, request_id=request_id)
        self.retry_after = retry_after_s
        """Seconds; None when the service did not say."""


class Unavailable(MaasError):
    """5xx: the service cannot do it now, or what answers is not the service."""

    def __init__(
        self,
        detail: str,
        *,
        code: str,
        status: int | None,
        request_id: str = "",
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(detail, code=code, status=status, request_id=request_id)
        self.retry_after = retry_after_s


class WaitTimedOut(MaasError):
    """The job goes on; only the waiting has ended."""

    def __init__(self, job: Job, waited_s: float) -> None:
        pages = f"{job.pages_done} of {job.pages_total} pages"
        super().__init__(
            f"Job {job.id} is still {job.state} ({pages}) after {waited_s:g} s. It goes on; wait again for its end.",
            code="wait_timed_out",
        )
        self.job = job


class ArchiveTimedOut(MaasError):
    """The archive is unpacked still; only the waiting has ended."""

    def __init__(self, archive: Archive, waited_s: float) -> None:
        super().__init__(
            f"{archive.entries_waiting} of {archive.entries_total} entries of archive {archive.id} still wait after "
            f"{waited_s:g} s. It goes on; wait again for its end.",
            code="wait_timed_out",
        )
        self.archive = archive


class JobFailed(MaasError):
    """The job ended without a result. What it has is in `result`."""

    def __init__(self, result: Result) -> None:
        job = result.job
        why = job.error.detail if job.error else "It has no result."
        super().__init__(
            f"Job {job.id} {_ENDED[job.state]}: {why}", code=job.error.code if job.error else job.state
        )
        self.result = result
        self.job = job


_ENDED = {"failed": "failed", "canceled": "was canceled", "expired": "expired"}
