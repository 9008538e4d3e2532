"""The client of a MaaS service: `Client` and `AsyncClient`, the objects they return, and the errors they raise."""

from maas_client.archives import Archive, ArchiveEntry
from maas_client.async_client import AsyncClient
from maas_client.client import Client
from maas_client.errors import (
    ArchiveTimedOut,
    AuthenticationError,
    Conflict,
    ConnectionFailed,
    InvalidRequest,
    JobFailed,
    MaasError,
    NotConfigured,
    NotFound,
    PermissionDenied,
    RateLimited,
    Unavailable,
    WaitTimedOut,
)
from maas_client.resources import Cost, Document, Event, EventPage, Job, Line, Model, Page, Problem, Result

__all__ = [
    "Archive",
    "ArchiveEntry",
    "ArchiveTimedOut",
    "AsyncClient",
    "AuthenticationError",
    "Client",
    "Conflict",
    "ConnectionFailed",
    "Cost",
    "Document",
    "Event",
    "EventPage",
    "InvalidRequest",
    "Job",
    "JobFailed",
    "Line",
    "MaasError",
    "Model",
    "NotConfigured",
    "NotFound",
    "Page",
    "PermissionDenied",
    "Problem",
    "RateLimited",
    "Result",
    "Unavailable",
    "WaitTimedOut",
]
