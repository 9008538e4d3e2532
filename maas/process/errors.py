"""Reasons why the product cannot run on this machine as asked, each with a stable code."""


class LaunchError(Exception):
    """Something a person can mend; the message says what and how."""

    code = "launch_failed"


class AlreadyRunning(LaunchError):
    code = "already_running"


class PortTaken(LaunchError):
    code = "port_taken"


class StepFailed(LaunchError):
    code = "step_failed"


class ChildKeepsFailing(LaunchError):
    code = "child_keeps_failing"


class ServiceUnavailable(LaunchError):
    """An embedded service cannot run here."""

    code = "embedded_service_unavailable"
