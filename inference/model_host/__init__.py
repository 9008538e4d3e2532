"""Runs uploaded models, each in a confined process of its own. Whatever a model does, the worker goes on."""

from .errors import FeedsRefused, HostDied, ModelPaused
from .host_process import Declared, HostProcess
from .isolation_status import IsolationStatus, isolation_status
from .limits import HOST_NEEDS, HostLimits
from .model_hosts import ModelHosts, OnPaused, StaysPaused

__all__ = [
    "HOST_NEEDS",
    "Declared",
    "FeedsRefused",
    "HostDied",
    "HostLimits",
    "HostProcess",
    "IsolationStatus",
    "ModelHosts",
    "ModelPaused",
    "OnPaused",
    "StaysPaused",
    "isolation_status",
]
