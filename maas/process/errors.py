"""The reasons why the product cannot run on this machine as requested, each with a stable code."""

from tenants.cells.cells import Cells


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


class InvalidOption(LaunchError):
    code = "invalid_option"


def require_own_port(*, port: int, grpc_port: int) -> None:
    """Refuse one port for HTTP and gRPC: both would listen, as ports are shared, and callers reach either by chance."""
    if grpc_port == port:
        raise InvalidOption(
            f"MAAS_GRPC_PORT={grpc_port} is MAAS_PORT, where HTTP is spoken: give gRPC a port of its own, or 0"
        )


def require_cell_secret(cells: Cells) -> None:
    """Refuse a cell that cannot sign: the others would not accept what it forwards."""
    if cells and not cells.secret:
        raise InvalidOption(
            f"MAAS_CELL={cells.own} is set, but MAAS_CELL_SECRET is not: `manage.py cell_key` makes one, and "
            "web and scheduler need it"
        )
