"""The errors of the client, with a class for each way in which a program reacts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from maas_client.archives import Archive
    from maas_client.resources import Job, ModelTask, ModelVersion, Result


class MaasError(Exception):
    """An error of the client or the service.

    `code` is stable and for programs, `detail` is for people, and `request_id` is for the operator.
    """

    def __init__(self, detail: str, *, code: str, status: int | None = None, request_id: str = "") -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code
        self.status = status
        """The status of the HTTP response, or None if there was none."""
        self.request_id = request_id
        self.job_id: str | None = None
        """The id of the job that was waited for. The job continues."""

    def __str__(self) -> str:
        asked = f", request {self.request_id}" if self.request_id else ""
        goes_on = f". Job {self.job_id} goes on; wait for it again" if self.job_id else ""
        return f"{self.detail} ({self.code}{asked}){goes_on}"


class NotConfigured(MaasError):
    """The URL or the key is missing or invalid."""


class ConnectionFailed(MaasError):
    """The service did not answer, even after retries."""

    def __init__(self, detail: str, *, unsent: bool = False) -> None:
        super().__init__(detail, code="connection_failed")
        self.unsent = unsent
        """The request certainly never arrived."""


class AuthenticationError(MaasError):
    """Status 401: the key is missing, wrong, expired or revoked."""


class PermissionDenied(MaasError):
    """Status 403: the key is valid but may not do this."""


class NotFound(MaasError):
    """Status 404, or 410 for erased objects."""


class Conflict(MaasError):
    """Status 409: not possible in this state, or not yet."""

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
        """Seconds to wait before a retry, if a retry helps because another request with the same key is in progress."""


class InvalidRequest(MaasError):
    """Any other 4xx: the request, its file or its parameters are invalid."""


class RateLimited(MaasError):
    """Status 429: too many requests."""

    def __init__(
        self, detail: str, *, code: str, status: int | None, request_id: str, retry_after_s: float | None
    ) -> None:
        super().__init__(detail, code=code, status=status, request_id=request_id)
        self.retry_after = retry_after_s
        """Seconds to wait before a retry, or None if the service gave no time."""


class Unavailable(MaasError):
    """Status 5xx: the service cannot do this now, or the answer does not come from the service."""

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
    """The wait timed out. The job continues."""

    def __init__(self, job: Job, waited_s: float) -> None:
        pages = f"{job.pages_done} of {job.pages_total} pages"
        super().__init__(
            f"Job {job.id} is still {job.state} ({pages}) after {waited_s:g} s. It goes on; wait again for its end.",
            code="wait_timed_out",
        )
        self.job = job


class ArchiveTimedOut(MaasError):
    """The wait timed out. The archive is still being unpacked."""

    def __init__(self, archive: Archive, waited_s: float) -> None:
        super().__init__(
            f"{archive.entries_waiting} of {archive.entries_total} entries of archive {archive.id} still wait after "
            f"{waited_s:g} s. It goes on; wait again for its end.",
            code="wait_timed_out",
        )
        self.archive = archive


class JobFailed(MaasError):
    """The job ended without success. `result` has what there is of it."""

    def __init__(self, result: Result) -> None:
        job = result.job
        why = job.error.detail if job.error else "It has no result."
        super().__init__(f"Job {job.id} {_ENDED[job.state]}: {why}", code=job.error.code if job.error else job.state)
        self.result = result
        self.job = job


class ModelRefused(MaasError):
    """The service checked a version of a model and refused it. `version` has the whole report."""

    def __init__(self, version: ModelVersion) -> None:
        why = version.refusal
        super().__init__(
            f"Version {version.version} of model {version.model} is refused: {why or 'the report gives no reason.'}",
            code=why.code if why else "model_refused",
        )
        self.version = version


class ModelTimedOut(MaasError):
    """The wait timed out. The check of the version, or the task, continues."""

    def __init__(self, waited_for: ModelVersion | ModelTask, name: str, waited_s: float) -> None:
        stage = f" ({waited_for.stage})" if waited_for.stage else ""
        super().__init__(
            f"{name} is still {waited_for.state}{stage} after {waited_s:g} s. It goes on; wait again for its end.",
            code="wait_timed_out",
        )
        self.waited_for = waited_for


class TaskFailed(MaasError):
    """A task on a model failed or was canceled. `task` has what there is of its report."""

    def __init__(self, task: ModelTask) -> None:
        why = task.error.detail if task.error else "It gives no reason."
        code = task.error.code if task.error else task.state
        super().__init__(f"Task {task.id} {_ENDED[task.state]}: {why}", code=code)
        self.task = task


class MissingExtra(MaasError):
    """A package is missing that an extra of this client installs."""


_ENDED = {"failed": "failed", "canceled": "was canceled", "expired": "expired"}
