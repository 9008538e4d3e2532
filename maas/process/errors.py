"""The reasons why the product cannot run on this machine as requested, each with a stable code."""


class LaunchError(Exception):
    """An error that a person can mend. The message says what is wrong and how to mend it."""

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
    """An embedded service that cannot run here."""

    code = "embedded_service_unavailable"
